/** Batches of an attacker: many tokens of one owner with one signature. */
import { Effect } from "effect"
import type { PrivateKeyAccount } from "viem"
import * as SweepClient from "../../test/support/SweepClient.ts"
import type { World } from "../World.ts"
import type { Refusal } from "./Clients.ts"
import type { Priced } from "./Money.ts"

/** Batches that are quoted or submitted at the same time. */
const CONCURRENCY = 8

/** Clients of an attacker. */
const ADDRESSES = 200

/** Counts of the answers. */
export interface Books {
  readonly tally: { quoted: number; submitted: number }
  /** Ids of the sweeps that were accepted. */
  readonly ids: Array<string>
  readonly refused: (what: string, answer: Refusal) => void
}

const refusal = ({ headers, status, text }: SweepClient.Answer): Refusal => ({
  status,
  text: headers.get("sweep-reason") ?? text
})

/** Makes `sweepAll(owners, symbols)`, which quotes, signs and submits a batch of each owner, of all that it has of these tokens. */
export const make = ({ alpha: { info }, slots }: Pick<World, "alpha" | "slots">, { ids, refused, tally }: Books) => {
  const request = (owner: PrivateKeyAccount, symbols: ReadonlyArray<Priced>) => ({
    owner: owner.address,
    destination: owner.address,
    destChainId: info.id,
    tokenOut: SweepClient.tokenOf(info, "USDC").address,
    tokens: symbols.map((symbol) => ({
      chainId: info.id,
      token: SweepClient.tokenOf(info, symbol).address,
      amount: "max",
      tier: "tier1"
    })),
    userId: "test",
    subscriptionActive: false
  })

  return Effect.fnUntraced(function* (owners: ReadonlyArray<PrivateKeyAccount>, symbols: ReadonlyArray<Priced>) {
    const batches = yield* Effect.forEach(
      owners,
      (owner, index) =>
        Effect.promise(async () => {
          const { post } = SweepClient.make(slots[index % slots.length]?.url ?? "")
          // Each owner asks from a network of its own.
          const from = { "x-forwarded-for": `203.${(index % ADDRESSES) + 1}.113.7` }
          const quotes = await post("/quotes", request(owner, symbols), from)
          const isQuoted = quotes.status === 200 && quotes.text.includes('"typedData"')
          if (isQuoted) {
            const signed = await SweepClient.signBatch(owner, quotes)
            return [{ signed, send: () => post("/sweeps", signed, from) }]
          }
          refused("quote", refusal(quotes))
          return []
        }),
      { concurrency: CONCURRENCY }
    )
    for (const { signed } of batches.flat()) tally.quoted += signed.quoteIds.length
    yield* Effect.forEach(
      batches.flat(),
      ({ send, signed }) =>
        Effect.promise(async () => {
          const answer = await send()
          if (answer.status !== 201) return refused("submission", refusal(answer))
          tally.submitted += signed.quoteIds.length
          ids.push(...signed.quoteIds)
        }),
      { concurrency: CONCURRENCY, discard: true }
    )
  })
}
