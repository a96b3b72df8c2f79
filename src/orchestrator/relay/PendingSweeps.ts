/**
 * Sweeps of the transactions of a chain that a simulating node may not have in a block. They may pay accounts whose own sweeps fail until
 * then. Simulations know what the others paid.
 */
import { Effect, Option } from "effect"
import { toleratedBlocks } from "../../domain/HeadLag.ts"
import { RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { RecentIntents } from "../shared/RecentIntents.ts"

/** Age of a head in milliseconds up to which it is not asked for again. An older head only keeps a sweep for longer. */
const HEAD_MILLIS = 2_000

/** Newest block that every node has which simulates. None if the head is unknown. */
const commonBlock = ({ chain, recentHead }: ChainClient) =>
  Effect.map(Effect.option(recentHead(HEAD_MILLIS)), (found) =>
    Option.map(Option.flatten(found), ({ number }) => number - toleratedBlocks(chain.blockTimeMillis))
  )

/** Makes `pendingOn(client)`. It reads only the sweeps that other processes sent, and each of them once. */
export const make = Effect.gen(function* () {
  const recent = yield* RecentIntents
  const transactions = yield* RelayTransactions

  return Effect.fn("Relay.pending")(function* (client: ChainClient) {
    const unfinished = yield* transactions.unfinished(client.chain.id)
    const common = unfinished.some(({ inclusion }) => inclusion !== undefined)
      ? yield* commonBlock(client)
      : Option.none()
    const ids = unfinished.flatMap(({ inclusion, intentIds }) =>
      inclusion !== undefined && Option.exists(common, (block) => inclusion.blockNumber <= block) ? [] : intentIds
    )
    const carried = [...(yield* recent.get(ids)).values()]
    recent.remember(carried)
    return carried
  })
})
