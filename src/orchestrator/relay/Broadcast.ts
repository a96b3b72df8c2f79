/** Hands stored bytes to a node. The answer decides nothing about the sweep: only blocks do. */
import { Effect } from "effect"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { type Attempt, type RelayTransaction, RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import { laneLow } from "./Lanes.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

/** A broadcaster with what it needs. Its effect fails only when the store does: the transaction then stays as it was. */
export const make = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const transactions = yield* RelayTransactions

  return Effect.fn("Relay.broadcast")(
    function* (client: ChainClient, transaction: RelayTransaction, attempt: Attempt) {
      const { chain } = client
      const { lane, nonce } = transaction
      const rejectedKey = `transaction_rejected:${chain.id}:${lane}`

      const answer = yield* Effect.result(client.send(attempt.raw))
      // Whatever the answer, the bytes may be out now: they are sent again later, and their hash is watched for ever.
      yield* transactions.markBroadcast(attempt.hash)

      if (answer._tag === "Success") {
        yield* Effect.logInfo("transaction broadcast")
        return yield* alerts.clear(rejectedKey)
      }
      yield* Effect.logWarning("transaction not taken").pipe(Effect.annotateLogs({ answer: answer.failure.message }))
      if (answer.failure._tag === "ChainUnavailable") return
      switch (answer.failure.reason) {
        // Another transaction has the nonce, perhaps an earlier version of this one: the watcher finds out.
        case "NonceTooLow":
        case "Underpriced":
          return
        case "InsufficientFunds":
          return yield* alerts.raise(laneLow(chain, lane, answer.failure.detail))
        case "Invalid":
          return yield* alerts.raise({
            key: rejectedKey,
            severity: "critical",
            kind: "transaction_rejected",
            message: `${chain.name} refuses a transaction of lane ${lane}. It is offered again, and its nonce is freed by a self-send once its sweep has expired; until then it holds up the lane.`,
            details: {
              chainId: chain.id,
              lane,
              nonce: nonce.toString(),
              txHash: attempt.hash,
              reason: answer.failure.detail
            }
          })
      }
    },
    (effect, client, transaction, attempt) =>
      Effect.annotateLogs(effect, {
        chain: client.chain.name,
        chainId: client.chain.id,
        lane: transaction.lane,
        nonce: transaction.nonce.toString(),
        txHash: attempt.hash,
        intents: transaction.intentIds.join(",")
      })
  )
})

export type Broadcast = Effect.Success<typeof make>
