/**
 * Outcome of an intent that its own transaction did not settle, as one total function of the evidence on chain. An
 * intent fails only with proof that nothing settled it and that nothing can settle it any more: another order or a
 * cancellation spent its nonce, or its nonce is unspent in a confirmed block after its deadline. Until then anybody who
 * has the signed order can still send it.
 */
import type { FailureReason } from "./Intent.ts"

/** Outcome of the nonce that the intent was sent with, or the reason why it was not sent. */
export type UnsettledCause =
  /** Never sent; only the evidence can speak against sending it. */
  | { readonly _tag: "Unsent" }
  /** Must not be sent, for this reason. */
  | { readonly _tag: "Refused"; readonly reason: FailureReason }
  /**
   * The sweep is in a block of sufficient depth without a matching event, whatever the status of its transaction: that of a call through
   * the entry does not tell. `late`: the block is after the deadline.
   */
  | { readonly _tag: "Ineffective"; readonly late: boolean }
  /** A self-send of the lane used the nonce. */
  | { readonly _tag: "Cancelled" }
  /** A transaction that this service did not send used the nonce. */
  | { readonly _tag: "Displaced" }

export interface Evidence {
  /** The guard's event for this order anywhere on the chain: absent, in a recent block, or at sufficient depth. */
  readonly settlement: "none" | "recent" | "final"
  /**
   * The order's nonce at sufficient depth, in the guards that can settle the order. `spender_unseen`: a bitmap has it, and no event says
   * who spent it, as on a node whose logs lag its state. `used_otherwise`: a cancellation or another order spent it in a guard that
   * refuses the order since. Use in any other guard counts as `unused`.
   */
  readonly nonce: "unused" | "spender_unseen" | "used_otherwise"
  /** True if a confirmed block is after the order's deadline, so that no future block can execute the order. */
  readonly expired: boolean
  /** Code of the owner's account. */
  readonly account: "ours" | "plain" | "other"
  /** True if the owner holds at least the order's `amountIn`. */
  readonly holdsInput: boolean
}

export type Verdict =
  | { readonly _tag: "Settle" }
  /** Undecided until there are more blocks. */
  | { readonly _tag: "Wait" }
  /** Still wanted and possible. Send it (again). */
  | { readonly _tag: "Retry" }
  /** No longer sent, for this reason. It fails with the reason after its deadline, unless somebody else settles it. */
  | { readonly _tag: "GiveUp"; readonly reason: FailureReason }
  | { readonly _tag: "Fail"; readonly reason: FailureReason }

export const verdict = (cause: UnsettledCause, evidence: Evidence): Verdict => {
  if (evidence.settlement === "final") return { _tag: "Settle" }
  if (evidence.settlement === "recent") return { _tag: "Wait" }
  if (evidence.nonce === "used_otherwise") return { _tag: "Fail", reason: "nonce_used" }
  if (evidence.nonce === "spender_unseen") return { _tag: "Wait" }
  const reason = reasonAgainst(cause, evidence)
  if (evidence.expired) return { _tag: "Fail", reason: reason ?? "expired" }
  return reason === undefined ? { _tag: "Retry" } : { _tag: "GiveUp", reason }
}

/** Reason not to send the sweep again. */
const reasonAgainst = (cause: UnsettledCause, evidence: Evidence): FailureReason | undefined => {
  if (cause._tag === "Refused") return isRefuted(cause.reason, evidence) ? undefined : cause.reason
  return cause._tag === "Ineffective" ? ineffective(cause, evidence) : undefined
}

/**
 * True if newer reads contradict the refusal. An account that runs the delegate needs no authorization: its code was read before it was
 * delegated, and its nonce after that. An owner who holds the input had it after the block that the sweep was simulated on.
 */
const isRefuted = (reason: FailureReason, { account, holdsInput }: Evidence): boolean => {
  if (reason === "insufficient_balance") return holdsInput
  return account === "ours" && (reason === "stale_authorization" || reason === "delegation_replaced")
}

const ineffective = (cause: UnsettledCause & { readonly _tag: "Ineffective" }, evidence: Evidence): FailureReason => {
  if (cause.late) return "expired"
  if (evidence.account === "plain") return "stale_authorization"
  if (evidence.account === "other") return "delegation_replaced"
  return evidence.holdsInput ? "reverted" : "insufficient_balance"
}
