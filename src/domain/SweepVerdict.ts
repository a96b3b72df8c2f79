/**
 * What becomes of an intent whose own transaction did not settle it, as one total function of what the chain shows. An
 * intent fails only where nothing settled it: a settlement anywhere, by anybody, comes before every other reason.
 */
import type { FailureReason } from "./Intent.ts"

/** What happened to the nonce that the intent was sent with, or why it was not sent. */
export type UnsettledCause =
  /** Never sent, and nothing speaks against sending it but what the evidence shows. */
  | { readonly _tag: "Unsent" }
  /** Not to be sent, for this reason. */
  | { readonly _tag: "Refused"; readonly reason: FailureReason }
  /** Our sweep is in a block that counts, later than the deadline or not, and its receipt has no matching event. */
  | { readonly _tag: "Ineffective"; readonly status: "success" | "reverted"; readonly late: boolean }
  /** Our self-send took the nonce. */
  | { readonly _tag: "Cancelled" }
  /** A transaction that is not ours took the nonce. */
  | { readonly _tag: "Displaced" }

export interface Evidence {
  /** The guard's event for this order, searched over the chain: absent, in a recent block, or deep enough to count. */
  readonly settlement: "none" | "recent" | "final"
  /** Whether the guard's bitmap has the order's nonce, at the depth that counts. */
  readonly nonceSpent: boolean
  /** Whether no block can run the order any more. */
  readonly expired: boolean
  /** What the owner's account runs. */
  readonly account: "ours" | "plain" | "other"
  /** Whether the owner holds at least the order's `amountIn`. */
  readonly holdsInput: boolean
}

export type Verdict =
  | { readonly _tag: "Settle" }
  /** Undecided until more blocks have come. */
  | { readonly _tag: "Wait" }
  /** Still wanted and possible: to be sent (again). */
  | { readonly _tag: "Retry" }
  | { readonly _tag: "Fail"; readonly reason: FailureReason }

export const verdict = (cause: UnsettledCause, evidence: Evidence): Verdict => {
  if (evidence.settlement === "final") return { _tag: "Settle" }
  if (evidence.settlement === "recent") return { _tag: "Wait" }
  if (evidence.nonceSpent) return { _tag: "Fail", reason: "nonce_used" }
  if (cause._tag === "Refused") return { _tag: "Fail", reason: cause.reason }
  if (cause._tag === "Ineffective") return { _tag: "Fail", reason: ineffective(cause, evidence) }
  return evidence.expired ? { _tag: "Fail", reason: "expired" } : { _tag: "Retry" }
}

const ineffective = (cause: UnsettledCause & { readonly _tag: "Ineffective" }, evidence: Evidence): FailureReason => {
  if (cause.late) return "expired"
  if (evidence.account === "plain") return "stale_authorization"
  if (evidence.account === "other") return "delegation_replaced"
  return cause.status === "reverted" && !evidence.holdsInput ? "insufficient_balance" : "reverted"
}
