/**
 * Machine routes of the builder backend: `POST /accruals` and `POST /revenue` book settled sweeps; `POST /sweep-events`
 * reports events for builders.
 */
import { Context, type Effect, Schema } from "effect"
import type { LedgerMessage, Revenue } from "../../domain/Accrual.ts"
import type { SweepEvent } from "../../domain/SweepEvent.ts"

/** The backend did not answer, or could not book. Retry. */
export class LedgerUnavailable extends Schema.TaggedError<LedgerUnavailable>()("LedgerUnavailable", {
  detail: Schema.String
}) {
  override get message(): string {
    return `the builder ledger is unavailable: ${this.detail}`
  }
}

/**
 * The backend rejected the message for good: its key is booked with other content, or the message is invalid. Do not
 * retry.
 */
export class LedgerRefused extends Schema.TaggedError<LedgerRefused>()("LedgerRefused", {
  /** HTTP status. */
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
    /** Books one message. Idempotent by sweep id. */
    readonly book: (message: LedgerMessage) => Effect.Effect<void, LedgerUnavailable | LedgerRefused>
    /**
     * Books the revenue of many settlements in one request and returns the sweep ids that are booked. Book each of the
     * rest with {@link book}, which fails with the reason.
     */
    readonly bookRevenues: (
      revenues: ReadonlyArray<Revenue>
    ) => Effect.Effect<ReadonlySet<string>, LedgerUnavailable | LedgerRefused>
    /**
     * Reports an event. Idempotent by event id. `LedgerRefused` with status 404 if the backend is too old to accept
     * events.
     */
    readonly tell: (event: SweepEvent) => Effect.Effect<void, LedgerUnavailable | LedgerRefused>
  }
>()("sweep/ports/BuilderLedger") {}
