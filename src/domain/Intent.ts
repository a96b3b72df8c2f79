/**
 * The life of a sweep (spec, "States and transitions") as one total function. Everything that moves an intent asks
 * {@link transition} first, so a status can never go back, and a terminal one never changes.
 */
import { Result, Schema } from "effect"
import type { Hash } from "./Hex.ts"

export const IntentStatus = Schema.Literals(["quoted", "submitted", "settled_source", "delivered", "failed"]).annotate({
  identifier: "IntentStatus"
})
export type IntentStatus = typeof IntentStatus.Type

/** Why an intent failed, for machines. Returned beside the status. */
export const FailureReason = Schema.Literals([
  /** The order's deadline passed before it settled. */
  "expired",
  /** The transaction was mined, and the sweep in it reverted or had no effect. */
  "reverted",
  /** The sweep would revert, so it was not sent. */
  "simulation_failed",
  /** The owner no longer holds the amount. */
  "insufficient_balance",
  /** The owner's account runs another delegate, and the authorization no longer applies. */
  "delegation_replaced",
  /** The authorization's nonce is not the account's next one, and the account is not delegated to us. */
  "stale_authorization",
  /** The order's nonce was spent on chain by another order or cancelled by the owner. */
  "nonce_used",
  /** Too many of the owner's, or the builder's, sweeps failed on chain lately; theirs are not sent for a while. */
  "failure_budget_spent",
  /** Owner or destination no longer passes sanctions screening. */
  "screening_blocked",
  /** The bridge returned the funds to the owner. */
  "bridge_refunded"
]).annotate({ identifier: "FailureReason" })
export type FailureReason = typeof FailureReason.Type

/** The failures of a sweep that was sent by which the relayer pays for nothing, and which an owner can bring about. */
export const BURNING: ReadonlyArray<FailureReason> = [
  "reverted",
  "insufficient_balance",
  "delegation_replaced",
  "stale_authorization",
  "nonce_used"
]

/** What can happen to an intent. */
export type IntentEvent =
  | { readonly _tag: "Submitted" }
  | { readonly _tag: "SettledAtSource"; readonly txHash: Hash }
  | { readonly _tag: "Delivered"; readonly txHash: Hash }
  | { readonly _tag: "Failed"; readonly reason: FailureReason }

export class IllegalTransition extends Schema.TaggedError<IllegalTransition>()("IllegalTransition", {
  from: IntentStatus,
  event: Schema.String
}) {
  override get message(): string {
    return `an intent that is ${this.from} cannot be ${this.event}`
  }
}

export const isTerminal = (status: IntentStatus): boolean => status === "delivered" || status === "failed"

/** The status after `event`, or why that cannot be. */
export const transition = (from: IntentStatus, event: IntentEvent): Result.Result<IntentStatus, IllegalTransition> => {
  switch (event._tag) {
    case "Submitted":
      return from === "quoted" ? Result.succeed("submitted") : refuse(from, event)
    case "SettledAtSource":
      return from === "submitted" ? Result.succeed("settled_source") : refuse(from, event)
    case "Delivered":
      return from === "settled_source" ? Result.succeed("delivered") : refuse(from, event)
    case "Failed":
      return from === "submitted" || from === "settled_source" ? Result.succeed("failed") : refuse(from, event)
  }
}

/** The status after several events in a row, or why one of them cannot be. */
export const transitions = (
  from: IntentStatus,
  events: ReadonlyArray<IntentEvent>
): Result.Result<IntentStatus, IllegalTransition> =>
  events.reduce<Result.Result<IntentStatus, IllegalTransition>>(
    (status, event) => Result.flatMap(status, (current) => transition(current, event)),
    Result.succeed(from)
  )

const refuse = (from: IntentStatus, event: IntentEvent) =>
  Result.fail(new IllegalTransition({ from, event: event._tag }))
