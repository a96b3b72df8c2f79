/**
 * Messages for the builder backend, stored in the transaction of the change that caused them and delivered at least
 * once.
 */
import { Context, type Effect } from "effect"
import type { OutboxMessage } from "../../domain/Accrual.ts"
import type { Traced } from "../../domain/TraceContext.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

/** A stored message that does not fit the schema. `detail` says why. */
export interface UnreadableMessage {
  readonly _tag: "Unreadable"
  readonly detail: string
}

/** A message, with the trace of its sweep. */
export interface OutboxEntry extends Traced {
  readonly id: string
  readonly message: OutboxMessage | UnreadableMessage
  /** Number of failed deliveries. */
  readonly attempts: number
}

/** Key under which a message is stored once. A settlement has one for its revenue and one for its accrual. */
export const idempotencyKey = (message: OutboxMessage): string => {
  switch (message._tag) {
    case "Accrual":
      return `accrual:${message.accrual.sweepId}`
    case "Revenue":
      return `revenue:${message.revenue.sweepId}`
    case "SweepEvent":
      return `sweep:${message.event.id}`
  }
}

/** `ledger`: bookings. `events`: events for builders, which must not delay bookings. */
export type Topic = "ledger" | "events"

export const TOPICS: ReadonlyArray<Topic> = ["ledger", "events"]

export const topicOf = (message: OutboxMessage): Topic => (message._tag === "SweepEvent" ? "events" : "ledger")

export class Outbox extends Context.Service<
  Outbox,
  {
    /**
     * Leases up to `limit` due messages of a topic for `leaseMillis`, longest due first. A message whose lease ended
     * can be claimed again. A message that cannot be read is claimed as `Unreadable` and delays no other: reject it.
     */
    readonly claim: (options: {
      readonly topic: Topic
      readonly limit: number
      readonly leaseMillis: number
    }) => Effect.Effect<ReadonlyArray<OutboxEntry>, StoreUnavailable>
    /** Marks the message as delivered, whatever its state. Idempotent. */
    readonly acknowledge: (id: string) => Effect.Effect<void, StoreUnavailable>
    /**
     * Records a failed delivery. The message is due again at `nextAttemptMs` (UNIX milliseconds). Does nothing if it
     * was acknowledged or rejected.
     */
    readonly defer: (id: string, nextAttemptMs: number, detail: string) => Effect.Effect<void, StoreUnavailable>
    /**
     * Records that the receiver will never accept the message. It is kept for the operator and not retried. Does
     * nothing if it was acknowledged.
     */
    readonly reject: (id: string, detail: string) => Effect.Effect<void, StoreUnavailable>
    /**
     * Makes a rejected message due again. `reopened`: it was rejected. `pending`: it is due or leased already. `gone`: it was
     * delivered or removed.
     */
    readonly reopen: (id: string) => Effect.Effect<"reopened" | "pending" | "gone", StoreUnavailable>
    /** Number of pending and rejected messages of the topic `ledger`. */
    readonly counts: Effect.Effect<{ readonly pending: number; readonly rejected: number }, StoreUnavailable>
  }
>()("sweep/ports/Outbox") {}
