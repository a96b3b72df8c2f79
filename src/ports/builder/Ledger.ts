/** The builders' ledger (design, "Rules of money", 5): entries are added, never changed. */
import { Context, type Effect, Schema } from "effect"
import type { Accrual } from "../../domain/Accrual.ts"
import type { Activity, LedgerEntry, LedgerTotals } from "../../domain/LedgerEntry.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

/** The sweep was booked with other content. */
export class AccrualConflict extends Schema.TaggedError<AccrualConflict>()("AccrualConflict", {
  sweepId: Schema.String
}) {
  override get message(): string {
    return `sweep ${this.sweepId} is booked with other content`
  }
}

export class UnknownBuilder extends Schema.TaggedError<UnknownBuilder>()("UnknownBuilder", {
  builderId: Schema.String
}) {
  override get message(): string {
    return `there is no builder ${this.builderId}`
  }
}

export class AccrualNotFound extends Schema.TaggedError<AccrualNotFound>()("AccrualNotFound", {
  sweepId: Schema.String
}) {
  override get message(): string {
    return `no accrual is booked for sweep ${this.sweepId}`
  }
}

/** What happened to a booking that may be repeated. */
export type Booked = "added" | "already_booked"

export class Ledger extends Context.Service<
  Ledger,
  {
    /**
     * Books an accrual under its sweep id. Repeated with the same content it changes nothing; durable when it returns. One
     * with `paidTxHash` is earned and paid at once.
     */
    readonly accrue: (accrual: Accrual) => Effect.Effect<Booked, AccrualConflict | UnknownBuilder | StoreUnavailable>
    /** Takes an accrual back with an entry of the opposite amounts. Repeated, it changes nothing. */
    readonly reverse: (sweepId: string) => Effect.Effect<Booked, AccrualNotFound | StoreUnavailable>
    /** Sums per token and chain, in the order of token and chain. */
    readonly totals: (builderId: string) => Effect.Effect<ReadonlyArray<LedgerTotals>, StoreUnavailable>
    /** The same over every builder. */
    readonly allTotals: Effect.Effect<ReadonlyArray<LedgerTotals>, StoreUnavailable>
    /** A builder's accruals, newest first, from before the entry `before` on. */
    readonly activity: (
      builderId: string,
      page: { readonly before?: string; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<{ readonly id: string; readonly activity: Activity }>, StoreUnavailable>
    /** A builder's entries, oldest first, from behind the entry `after` on. */
    readonly entries: (
      builderId: string,
      page: { readonly after?: string; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<LedgerEntry>, StoreUnavailable>
  }
>()("sweep/ports/Ledger") {}
