/** Texts about sweeps: statuses, steps and reasons of failures. */
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
  reverted: "Its transaction reverted, most likely because the price moved too far. The funds did not move.",
  simulation_failed: "Its transaction would have reverted, so it was not sent. The funds did not move.",
  insufficient_balance: "The owner no longer held the amount. The funds did not move.",
  delegation_replaced: "The owner's account was delegated to another contract in the meantime. The funds did not move.",
  stale_authorization:
    "The owner's account sent another transaction in the meantime, which invalidates the authorization. The funds did not move.",
  nonce_used: "The order's nonce was already used, by another order or by a cancellation of the owner.",
  failure_budget_spent:
    "Too many sweeps of this owner or of your account failed on chain recently. The funds did not move.",
  network_fee_insufficient:
    "The price of gas stayed above what its network fee covers until the order's deadline. The funds did not move.",
  screening_blocked: "One of its addresses no longer passes sanctions screening. The funds did not move.",
  bridge_refunded: "No relayer delivered on the destination chain in time. The bridge refunds the owner."
}

export const failureText = (reason: FailureReason | undefined): string =>
  reason === undefined ? "The sweep failed." : REASONS[reason]
