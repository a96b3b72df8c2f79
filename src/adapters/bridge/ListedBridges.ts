/** Contracts of a bridge that an operator names in the chains file, and that the guard lists. Others are not used. */
import { Clock, Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import * as SwapTargets from "../evm/contracts/SwapTargets.ts"

/** Time for which the guard's answer counts. A removed target stops the order's own simulation before. */
const LIFETIME_MILLIS = 60_000

/** Makes the reader of a bridge's contracts on a chain, by the `name` of their `targets`. */
export const make = (name: string) => {
  const known = new Map<number, { readonly untilMs: number; readonly listed: ReadonlyArray<Address.Address> }>()
  const told = new Set<string>()

  const tell = (client: ChainClient, address: Address.Address) => {
    const key = `${client.chain.id}:${address}`
    if (told.has(key)) return Effect.void
    told.add(key)
    return Effect.logWarning("bridge.target_unlisted").pipe(
      Effect.annotateLogs({ bridge: name, chain: client.chain.name, target: address })
    )
  }

  return Effect.fn("ListedBridges.read")(function* (
    client: ChainClient
  ): Effect.fn.Return<ReadonlyArray<Address.Address>, ChainUnavailable> {
    const now = yield* Clock.currentTimeMillis
    const kept = known.get(client.chain.id)
    if (kept !== undefined && now < kept.untilMs) return kept.listed
    const named = (client.chain.targets ?? []).filter((target) => target.kind === "bridge" && target.name === name)
    const listings = yield* SwapTargets.read(
      client,
      named.map(({ address }) => address)
    )
    const listed: Array<Address.Address> = []
    for (const { address, kind } of listings) {
      if (kind === "bridge") listed.push(address)
      else yield* tell(client, address)
    }
    known.set(client.chain.id, { untilMs: now + LIFETIME_MILLIS, listed })
    return listed
  })
}
