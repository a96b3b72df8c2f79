/** Messages for the builder backend, written in the transaction of the state change that caused them. */
import { Context, type Effect } from "effect"
import type { OutboxMessage } from "../domain/Accrual.ts"
import type { StoreUnavailable } from "./Store.ts"

export interface OutboxEntry {
  readonly id: string
  readonly message: OutboxMessage
  /** Failed deliveries so far. */
  readonly attempts: number
}

export class Outbox extends Context.Service<
  Outbox,
  {
    /** Leases up to `limit` messages that are due, oldest first. */
    readonly claim: (options: {
      readonly limit: number
      readonly leaseMillis: number
    }) => Effect.Effect<ReadonlyArray<OutboxEntry>, StoreUnavailable>
    /** The receiver has it. */
    readonly acknowledge: (id: string) => Effect.Effect<void, StoreUnavailable>
    /** Not delivered; due again at `nextAttemptMs`. */
    readonly defer: (id: string, nextAttemptMs: number, detail: string) => Effect.Effect<void, StoreUnavailable>
    /** The receiver will never take it: kept for the operator, not tried again. */
    readonly reject: (id: string, detail: string) => Effect.Effect<void, StoreUnavailable>
    readonly counts: Effect.Effect<{ readonly pending: number; readonly rejected: number }, StoreUnavailable>
  }
>()("sweep/ports/Outbox") {}
