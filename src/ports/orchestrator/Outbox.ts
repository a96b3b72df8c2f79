/** Messages for the builder backend, written in the transaction of the state change that caused them. */
import { Context, type Effect } from "effect"
import type { OutboxMessage } from "../../domain/Accrual.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

export interface OutboxEntry {
  readonly id: string
  readonly message: OutboxMessage
  /** Failed deliveries so far. */
  readonly attempts: number
}

/** What a message is known by: a settlement is booked once as revenue and once as a builder's accrual. */
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

/** `ledger`: money, which has to be booked. `events`: what builders are told, which must never hold money back. */
export type Topic = "ledger" | "events"

export const TOPICS: ReadonlyArray<Topic> = ["ledger", "events"]

export const topicOf = (message: OutboxMessage): Topic => (message._tag === "SweepEvent" ? "events" : "ledger")

export class Outbox extends Context.Service<
  Outbox,
  {
    /** Leases up to `limit` messages of a topic that are due, longest due first. One that is not closed in time is due again. */
    readonly claim: (options: {
      readonly topic: Topic
      readonly limit: number
      readonly leaseMillis: number
    }) => Effect.Effect<ReadonlyArray<OutboxEntry>, StoreUnavailable>
    /** The receiver has it. True whatever was noted of it before. */
    readonly acknowledge: (id: string) => Effect.Effect<void, StoreUnavailable>
    /** Not delivered; due again at `nextAttemptMs`. Changes nothing once the message is acknowledged or rejected. */
    readonly defer: (id: string, nextAttemptMs: number, detail: string) => Effect.Effect<void, StoreUnavailable>
    /** The receiver will never take it: kept for the operator, not tried again. Changes nothing once acknowledged. */
    readonly reject: (id: string, detail: string) => Effect.Effect<void, StoreUnavailable>
    /** Of what has to be booked. */
    readonly counts: Effect.Effect<{ readonly pending: number; readonly rejected: number }, StoreUnavailable>
  }
>()("sweep/ports/Outbox") {}
