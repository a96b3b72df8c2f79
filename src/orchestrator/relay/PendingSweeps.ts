/** Sweeps of the transactions of a chain that are not final. They may pay accounts whose own sweeps fail until then. */
import { Effect } from "effect"
import { RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { RecentIntents } from "../shared/RecentIntents.ts"

/** Makes `pendingOn(client)`. It reads only the sweeps that other processes sent, and each of them once. */
export const make = Effect.gen(function* () {
  const recent = yield* RecentIntents
  const transactions = yield* RelayTransactions

  return Effect.fn("Relay.pending")(function* ({ chain }: ChainClient) {
    const unfinished = yield* transactions.unfinished(chain.id)
    const carried = [...(yield* recent.get(unfinished.flatMap(({ intentIds }) => intentIds))).values()]
    recent.remember(carried)
    return carried
  })
})
