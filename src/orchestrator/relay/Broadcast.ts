/** Sends a stored transaction to a node. The node's answer decides nothing about the sweep: only blocks do. */
import { Effect } from "effect"
import { type Attempt, type RelayTransaction, RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import type { ChainClient, SendRejected } from "../../ports/shared/Chains.ts"
import { transactionFields } from "../shared/LogFields.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import { laneLow } from "./Lanes.ts"

/** Makes `broadcast(client, transaction, attempt)`. It fails only when the store does; the transaction is then unchanged. */
export const make = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const transactions = yield* RelayTransactions

  const alertRejection = (
    { chain }: ChainClient,
    { lane, nonce }: RelayTransaction,
    { hash }: Attempt,
    { detail, reason }: SendRejected
  ) => {
    switch (reason) {
      // Another transaction has the nonce, perhaps an earlier version of this one. The watcher finds out.
      case "NonceTooLow":
      case "Underpriced":
        return Effect.void
      case "InsufficientFunds":
        return alerts.raise(laneLow(chain, lane, detail))
      case "Invalid":
        return alerts.raise({
          key: rejectedKey(chain.id, lane),
          severity: "critical",
          kind: "transaction_rejected",
          message: `${chain.name} rejects a transaction of lane ${lane}. The transaction blocks the lane: it is sent again until its sweeps have expired, and then a self-send frees its nonce.`,
          details: { chainId: chain.id, lane, nonce: nonce.toString(), txHash: hash, reason: detail }
        })
    }
  }

  return Effect.fn("Relay.broadcast")(
    function* (client: ChainClient, transaction: RelayTransaction, attempt: Attempt) {
      const answer = yield* Effect.result(client.send(attempt.raw))
      // The node may have passed the bytes on, whatever it answered. They are sent again later, and their hash stays watched.
      yield* transactions.markBroadcast(attempt.hash)
      if (answer._tag === "Success") {
        yield* Effect.logInfo("relay.broadcast")
        return yield* alerts.clear(rejectedKey(client.chain.id, transaction.lane))
      }
      yield* Effect.logWarning("relay.rejected").pipe(Effect.annotateLogs({ answer: answer.failure.message }))
      if (answer.failure._tag === "SendRejected") {
        yield* alertRejection(client, transaction, attempt, answer.failure)
      }
    },
    (effect, client, transaction, attempt) =>
      Effect.annotateLogs(effect, transactionFields(client, transaction, attempt.hash))
  )
})

const rejectedKey = (chainId: number, lane: string): string => `transaction_rejected:${chainId}:${lane}`
