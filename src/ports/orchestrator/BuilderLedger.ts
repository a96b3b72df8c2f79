/**
 * The builder backend's machine routes: settled sweeps are booked by `POST /accruals` and `POST /revenue`, and
 * `POST /sweep-events` passes on what builders are told.
 */
import { Context, type Effect, Schema } from "effect"
import type { LedgerMessage, Revenue } from "../../domain/Accrual.ts"
import type { SweepEvent } from "../../domain/SweepEvent.ts"

/** Not booked, and worth trying again. */
export class LedgerUnavailable extends Schema.TaggedError<LedgerUnavailable>()("LedgerUnavailable", {
  detail: Schema.String
}) {
  override get message(): string {
    return `the builder ledger is unavailable: ${this.detail}`
  }
}

/** Refused for good: the same key stands for other content, or the message is not acceptable. */
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
    readonly book: (message: LedgerMessage) => Effect.Effect<void, LedgerUnavailable | LedgerRefused>
    /**
     * Books income of many settlements at once and tells, by sweep id, which of them are booked. The others have to be booked
     * by themselves, which says what is wrong with them.
     */
    readonly bookRevenues: (
      revenues: ReadonlyArray<Revenue>
    ) => Effect.Effect<ReadonlySet<string>, LedgerUnavailable | LedgerRefused>
    /**
     * Tells a builder. Safe to repeat: the receiver knows an event by its id. Refused with status 404 by a backend that
     * does not take events, or not yet.
     */
    readonly tell: (event: SweepEvent) => Effect.Effect<void, LedgerUnavailable | LedgerRefused>
  }
>()("sweep/ports/BuilderLedger") {}
