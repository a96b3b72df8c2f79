/** Where settled sweeps are booked: the builder backend's `POST /accruals` and `POST /revenue`. */
import { Context, type Effect, Schema } from "effect"
import type { OutboxMessage } from "../domain/Accrual.ts"

/** Not booked, and worth trying again. */
export class LedgerUnavailable extends Schema.TaggedError<LedgerUnavailable>()("LedgerUnavailable", {
  detail: Schema.String
}) {
  override get message(): string {
    return `the builder ledger is unavailable: ${this.detail}`
  }
}

/** Refused for good: the same key was booked with other content, or the message is not acceptable. */
export class LedgerRefused extends Schema.TaggedError<LedgerRefused>()("LedgerRefused", {
  status: Schema.Int,
  detail: Schema.String
}) {
  override get message(): string {
    return `the builder ledger refused an entry (${this.status}): ${this.detail}`
  }
}

export class BuilderLedger extends Context.Service<
  BuilderLedger,
  {
    /** Books one message. Safe to repeat: the receiver knows it by its sweep id. */
    readonly book: (message: OutboxMessage) => Effect.Effect<void, LedgerUnavailable | LedgerRefused>
  }
>()("sweep/ports/BuilderLedger") {}
