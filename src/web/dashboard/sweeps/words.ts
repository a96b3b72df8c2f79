/** What is said of a sweep: its status in a word or two, what each step means, and why it failed. */
import type { FailureReason } from "../../../domain/Intent.ts"
import type { SweepStatus } from "../../../domain/SweepEvent.ts"
import type { Tone } from "../../ui/Badge.tsx"

export const STATUS: Readonly<Record<SweepStatus, readonly [label: string, tone: Tone]>> = {
  submitted: ["Submitted", "neutral"],
  settled_source: ["Settled", "accent"],
  delivered: ["Delivered", "good"],
  failed: ["Failed", "bad"]
}

export const STATUSES: ReadonlyArray<SweepStatus> = ["submitted", "settled_source", "delivered", "failed"]

export const isStatus = (text: unknown): text is SweepStatus => STATUSES.some((status) => status === text)

const REASONS: Readonly<Record<FailureReason, string>> = {
  expired: "It was not settled before the order's deadline. The funds did not move.",
  reverted: "Its transaction was undone on chain, mostly because the price moved too far. The funds did not move.",
  simulation_failed: "It would have been undone on chain, so it was not sent. The funds did not move.",
  insufficient_balance: "The owner did not hold the amount any more. The funds did not move.",
  delegation_replaced: "The owner's account was given to another delegate meanwhile. The funds did not move.",
  stale_authorization:
    "The owner's account sent a transaction of its own meanwhile, which voids the authorization. The funds did not move.",
  nonce_used: "The order's nonce was spent before, by another order or because its owner cancelled it.",
  failure_budget_spent: "Too many sweeps of this owner, or of yours, failed on chain lately. The funds did not move.",
  screening_blocked: "An address of it does not pass sanctions screening any more. The funds did not move.",
  bridge_refunded: "Nobody delivered on the other chain in time: the bridge gives what it took back to the owner."
}

export const failureText = (reason: FailureReason | undefined): string =>
  reason === undefined ? "It did not go through." : REASONS[reason]
