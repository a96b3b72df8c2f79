/** Sends a stored transaction to a node. The node's answer decides nothing about the sweep: only blocks do. */
import { Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import { type Attempt, type RelayTransaction, RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import type { ChainClient, SendRefusal, SendRejected } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { transactionFields } from "../shared/LogFields.ts"
import * as LaneAlerts from "../shared/LaneAlerts.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import { BROADCASTS } from "../../telemetry/metrics/Relay.ts"

/**
 * Answer of a chain's nodes to one attempt. `accepted`: a node has it, and no other transaction with its nonce. `refused`: every
 * node that was asked refused it. `unknown`: it may have reached a node, although others may have refused it.
 */
export type Answer =
  | { readonly _tag: "accepted" }
  | { readonly _tag: "refused"; readonly reason: SendRefusal; readonly detail: string }
  | { readonly _tag: "unknown"; readonly reason?: SendRefusal | undefined; readonly detail: string }

/**
 * Makes `broadcast(client, transaction, attempt)`, which returns the nodes' answer. It fails only when the store does; the
 * transaction is then unchanged.
 */
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
      case "ReplacementUnderpriced":
      // The watcher sends it again, with higher fees in time.
      case "Underpriced":
      case "FeeCapTooLow":
      case "NonceGap":
      case "SenderFull":
      case "PoolFull":
      // The caller sends it without the owner.
      case "AuthorityBusy":
        return Effect.void
      case "InsufficientFunds":
        return alerts.raise(LaneAlerts.laneLow(chain, lane, detail))
      case "DelegatedSender":
      case "GasAboveBlock":
      case "TooLarge":
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
    function* (
      client: ChainClient,
      transaction: RelayTransaction,
      attempt: Attempt
    ): Effect.fn.Return<Answer, StoreUnavailable> {
      const answer = yield* Effect.result(client.send(attempt.raw))
      // The node may have passed the bytes on, whatever it answered. They are sent again later, and their hash stays watched.
      yield* transactions.markBroadcast(attempt.hash)
      if (answer._tag === "Success") {
        yield* Effect.logInfo("relay.broadcast")
        yield* alerts.clear(rejectedKey(client.chain.id, transaction.lane))
        return { _tag: "accepted" } satisfies Answer
      }
      yield* Effect.logWarning("relay.rejected").pipe(Effect.annotateLogs({ answer: answer.failure.message }))
      if (answer.failure._tag !== "SendRejected") {
        const { detail, refusal } = answer.failure
        return { _tag: "unknown", reason: refusal, detail } satisfies Answer
      }
      yield* alertRejection(client, transaction, attempt, answer.failure)
      const { detail, reason } = answer.failure
      return { _tag: "refused", reason, detail } satisfies Answer
    },
    (effect, client, transaction, attempt) =>
      effect.pipe(
        Effect.tap(({ _tag: answer }) => BROADCASTS.record(1, { chain_id: String(client.chain.id), answer })),
        Effect.annotateLogs(transactionFields(client, transaction, attempt.hash))
      )
  )
})

const rejectedKey = (chainId: number, lane: string): string => `transaction_rejected:${chainId}:${lane}`

/** True if nodes refuse the transaction because of an owner who is busy in their pools. */
export const isBusy = (answer: Answer): answer is Answer & { readonly _tag: "refused" } =>
  answer._tag === "refused" && answer.reason === "AuthorityBusy"

/** The same, or at least one node does and it is unknown if another one has the transaction. */
export const mayBeBusy = (answer: Answer): answer is Exclude<Answer, { readonly _tag: "accepted" }> =>
  answer._tag !== "accepted" && answer.reason === "AuthorityBusy"

/** The member whose owner the nodes' answer names; undefined if it names none, or several. */
export const named = <A>(
  detail: string,
  members: ReadonlyArray<A>,
  ownerOf: (member: A) => Address.Address
): A | undefined => {
  const text = detail.toLowerCase()
  const [only, ...others] = members.filter((member) => text.includes(ownerOf(member).toLowerCase()))
  return others.length === 0 ? only : undefined
}
