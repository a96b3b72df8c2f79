/** A submitted sweep, as `POST /intents` and `GET /intents/:id` return it. */
import type { Address } from "./Address.ts"
import type { Hex } from "./Hex.ts"

/** `delivered` and `failed` are final. */
export type IntentStatus = "quoted" | "submitted" | "settled_source" | "delivered" | "failed"

/** Reason for a failed intent. Newer services may return other values. */
export type FailureReason =
  | "expired"
  | "reverted"
  | "simulation_failed"
  | "insufficient_balance"
  | "delegation_replaced"
  | "stale_authorization"
  | "nonce_used"
  | "failure_budget_spent"
  | "network_fee_insufficient"
  | "screening_blocked"
  | "bridge_refunded"
  | (string & {})

/**
 * Cause for which a submitted sweep waits before it is sent. `gas_price`: gas costs more than its network fee covers. Newer services
 * may return other values.
 */
export type WaitingFor = "gas_price" | (string & {})

/** Response of `POST /intents`. */
export interface Accepted {
  /** Id of the quote. */
  readonly id: string
  readonly status: IntentStatus
  readonly txHash?: Hex
  /** Cause for which the sweep waits before it is sent. */
  readonly waitingFor?: WaitingFor
}

/** Payment by which a bridge returned a deposit that nobody filled. */
export interface Refund {
  /** The deposited token, on the source chain. */
  readonly token: Address
  /** In the smallest unit of the token. */
  readonly amount: bigint
  /** Transaction on the source chain. */
  readonly txHash: Hex
}

/** Response of `GET /intents/:id`. */
export interface Intent {
  /** Id of the quote. */
  readonly id: string
  readonly status: IntentStatus
  /** True if the sweep ends on another chain than it starts on. */
  readonly crossChain: boolean
  /** Transaction on the source chain. Absent before broadcast. */
  readonly txHash?: Hex
  /** Transaction that delivered on the destination chain. */
  readonly deliveryTxHash?: Hex
  /** Amount that arrived, in the smallest unit of the output token. Absent until it is known, and from older services. */
  readonly amountOut?: bigint
  /** Present if `status` is `failed`. */
  readonly failureReason?: FailureReason
  /** Reason for which a submitted sweep is no longer sent. It fails once the chain proves that it cannot settle any more. */
  readonly pendingFailureReason?: FailureReason
  /** Cause for which a submitted sweep waits before it is sent. It may still settle until the order's deadline. */
  readonly waitingFor?: WaitingFor
  /** Payment of the bridge to the owner, if the failure is `bridge_refunded`. Absent until it is found, which takes hours. */
  readonly refund?: Refund
  /** Token that arrived instead of the wanted one, since the swap on arrival failed. */
  readonly arrivedInstead?: { readonly token: Address; readonly amount: bigint }
}
