/**
 * State machine of a sweep (spec, "States and transitions").
 *
 * {@link TRANSITIONS} is its only definition: the stores, the statuses that builders see and the order of those statuses are
 * derived from it. A status never goes back, and a terminal one never changes.
 */
import { Result, Schema } from "effect"
import type { Hash } from "./Hex.ts"

export const IntentStatus = Schema.Literals(["quoted", "submitted", "settled_source", "delivered", "failed"]).annotate({
  identifier: "IntentStatus"
})
export type IntentStatus = typeof IntentStatus.Type

/** Machine-readable reason of a failure. Returned beside the status. */
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
  /** The authorization's nonce is not the account's next nonce, and the account is not delegated to this service. */
  "stale_authorization",
  /** The order's nonce was spent on chain by another order or cancelled by the owner. */
  "nonce_used",
  /** Too many recent sweeps of the owner or the builder failed on chain; new ones are refused for some time. */
  "failure_budget_spent",
  /** The price of gas stayed above what the sweep's network fee covers until the order's deadline. */
  "network_fee_insufficient",
  /** Owner or destination no longer passes sanctions screening. */
  "screening_blocked",
  /** The bridge returned the funds to the owner. */
  "bridge_refunded"
]).annotate({ identifier: "FailureReason" })
export type FailureReason = typeof FailureReason.Type

/** Cause for which a submitted sweep waits before it is sent. */
export const WaitingFor = Schema.Literal("gas_price").annotate({
  identifier: "WaitingFor",
  description: "`gas_price`: a price of gas that the sweep's network fee covers"
})
export type WaitingFor = typeof WaitingFor.Type

/** Failures after sending that an owner can provoke and whose gas the relayer pays without income. */
export const BURNING: ReadonlyArray<FailureReason> = [
  "reverted",
  "insufficient_balance",
  "delegation_replaced",
  "stale_authorization",
  "nonce_used"
]

/** The owner signed. */
export interface Submitted {
  readonly _tag: "Submitted"
}

/** An event after the owner has signed. */
export type ProgressEvent =
  | { readonly _tag: "SettledAtSource"; readonly txHash: Hash }
  /**
   * Without `txHash` if the delivery is proved by the bridge's state, and its transaction is not found yet. `amountOut`: amount that
   * arrived, in the smallest unit of the output token, if it is known.
   */
  | { readonly _tag: "Delivered"; readonly txHash?: Hash; readonly amountOut?: bigint }
  | { readonly _tag: "Failed"; readonly reason: FailureReason }

export type IntentEvent = Submitted | ProgressEvent

/** The state machine: for each event, the statuses in which it is legal and the status that it leads to. */
export const TRANSITIONS = {
  Submitted: { from: ["quoted"], to: "submitted" },
  SettledAtSource: { from: ["submitted"], to: "settled_source" },
  Delivered: { from: ["settled_source"], to: "delivered" },
  Failed: { from: ["submitted", "settled_source"], to: "failed" }
} as const satisfies Readonly<
  Record<IntentEvent["_tag"], { readonly from: ReadonlyArray<IntentStatus>; readonly to: IntentStatus }>
>

const TABLE: ReadonlyArray<{ readonly from: ReadonlyArray<IntentStatus>; readonly to: IntentStatus }> =
  Object.values(TRANSITIONS)

/** Statuses that an event leads to: those of an intent that its owner has signed. */
export type ReachedStatus = (typeof TRANSITIONS)[IntentEvent["_tag"]]["to"]

/** The event is not legal in the intent's status. */
export class IllegalTransition extends Schema.TaggedError<IllegalTransition>()("IllegalTransition", {
  from: IntentStatus,
  event: Schema.String
}) {
  override get message(): string {
    return `an intent that is ${this.from} cannot be ${this.event}`
  }
}

/** True when no event is legal in the status. */
export const isTerminal = (status: IntentStatus): boolean => TABLE.every(({ from }) => !from.includes(status))

/** Status after `event`. */
export const transition = (from: IntentStatus, event: IntentEvent): Result.Result<IntentStatus, IllegalTransition> => {
  const legal: ReadonlyArray<IntentStatus> = TRANSITIONS[event._tag].from
  return legal.includes(from)
    ? Result.succeed(TRANSITIONS[event._tag].to)
    : Result.fail(new IllegalTransition({ from, event: event._tag }))
}

/** Status after several events in a row; fails at the first one that is illegal. */
export const transitions = (
  from: IntentStatus,
  events: ReadonlyArray<IntentEvent>
): Result.Result<IntentStatus, IllegalTransition> =>
  events.reduce<Result.Result<IntentStatus, IllegalTransition>>(
    (status, event) => Result.flatMap(status, (current) => transition(current, event)),
    Result.succeed(from)
  )

/** Statuses in which all of the events are legal, in this order. */
export const legalFrom = (events: ReadonlyArray<IntentEvent>): ReadonlyArray<IntentStatus> =>
  IntentStatus.literals.filter((from) => Result.isSuccess(transitions(from, events)))

/** Fields of an intent that an event sets. */
export interface EventEffect {
  readonly status: ReachedStatus
  /** Settling transaction on the source chain. */
  readonly txHash?: Hash
  /** Delivering transaction on the destination chain. */
  readonly deliveryTxHash?: Hash
  /** Amount that arrived, in the smallest unit of the output token. */
  readonly amountOut?: bigint
  readonly failureReason?: FailureReason
}

export const effectOf = (event: IntentEvent): EventEffect => {
  const status = TRANSITIONS[event._tag].to
  switch (event._tag) {
    case "Submitted":
      return { status }
    case "SettledAtSource":
      return { status, txHash: event.txHash }
    case "Delivered":
      return {
        status,
        ...(event.txHash === undefined ? {} : { deliveryTxHash: event.txHash }),
        ...(event.amountOut === undefined ? {} : { amountOut: event.amountOut })
      }
    case "Failed":
      return { status, failureReason: event.reason }
  }
}

/** Fields that several events in a row set; a later event overwrites an earlier one. */
export const effectsOf = (events: ReadonlyArray<IntentEvent>): Partial<EventEffect> =>
  events.reduce<Partial<EventEffect>>((fields, event) => Object.assign(fields, effectOf(event)), {})

/** Largest number of events on the way to a status: 0 for `quoted`, and more for every later status. */
export const stepsTo = (status: IntentStatus): number =>
  Math.max(0, ...TABLE.flatMap(({ from, to }) => (to === status ? from.map((before) => 1 + stepsTo(before)) : [])))

/** Number of intents in each status, 0 where `counts` does not name it. */
export const statusCounts = (
  counts: Iterable<readonly [IntentStatus, number]>
): Readonly<Record<IntentStatus, number>> => ({
  quoted: 0,
  submitted: 0,
  settled_source: 0,
  delivered: 0,
  failed: 0,
  ...Object.fromEntries(counts)
})
