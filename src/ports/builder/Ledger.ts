/** The builders' ledger (design, "Rules of money", 5). Entries are added, never changed. */
import { Context, type Effect, Schema } from "effect"
import type { Accrual } from "../../domain/Accrual.ts"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Earnings } from "../../domain/Earnings.ts"
import type { Hash } from "../../domain/Hex.ts"
import type { Activity, EarningStatus, LedgerEntry, LedgerTotals } from "../../domain/LedgerEntry.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

/** The sweep is booked with other content, or its accrual was reversed, so that nothing is owed for it. */
export class AccrualConflict extends Schema.TaggedError<AccrualConflict>()("AccrualConflict", {
  sweepId: Schema.String,
  /** True if the accrual was reversed. Absent otherwise. */
  reversed: Schema.optionalKey(Schema.Literal(true))
}) {
  override get message(): string {
    return this.reversed === undefined
      ? `sweep ${this.sweepId} is booked with other content. If that is wrong, reverse it and book the right accrual as ${this.sweepId}-corrected`
      : `the accrual of sweep ${this.sweepId} was reversed. Book the right one, if any, as ${this.sweepId}-corrected`
  }
}

/** No builder has this id. */
export class UnknownBuilder extends Schema.TaggedError<UnknownBuilder>()("UnknownBuilder", {
  builderId: Schema.String
}) {
  override get message(): string {
    return `there is no builder ${this.builderId}`
  }
}

/** No accrual is booked for the sweep. */
export class AccrualNotFound extends Schema.TaggedError<AccrualNotFound>()("AccrualNotFound", {
  sweepId: Schema.String
}) {
  override get message(): string {
    return `no accrual is booked for sweep ${this.sweepId}`
  }
}

/** Result of an idempotent booking. */
export type Booked = "added" | "already_booked"

/** Accruals that were assigned to a chain. */
export interface Assigned {
  /** Number of accruals. */
  readonly sweeps: number
  /** Amount owed for them, in the token's smallest unit. Zero if their sweeps paid them. */
  readonly amount: bigint
  /** True if accruals of the token are left without a chain. Absent otherwise. */
  readonly more?: true
}

/** Accruals that are assigned at once. Each takes a lock until the transaction ends, and the locks of a database are few. */
export const ASSIGNED_AT_ONCE = 1_000

/** Conditions that a listed accrual must meet. */
export interface EarningFilter {
  readonly status?: EarningStatus
  readonly chainId?: ChainId
  readonly token?: Address.Address
  /** Booked at this time or later, in UNIX milliseconds. */
  readonly fromMs?: number
  /** Booked before this time, in UNIX milliseconds. */
  readonly toMs?: number
  /** Id of a settlement, or the hash of its transaction, which may have settled several sweeps. */
  readonly settlement?: string
}

export class Ledger extends Context.Service<
  Ledger,
  {
    /**
     * Books an accrual under its sweep id; durable when it returns. Idempotent: repeated with the same content, it
     * changes nothing. `AccrualConflict` once it is reversed, since a sweep id is booked once. The first value in dollars is kept. An accrual with `paidTxHash` is earned and paid at once. An accrual without a chain is assigned to
     * `defaultChainId`, if given.
     */
    readonly accrue: (
      accrual: Accrual,
      defaultChainId?: ChainId
    ) => Effect.Effect<Booked, AccrualConflict | UnknownBuilder | StoreUnavailable>
    /**
     * Assigns up to `limit` of the token's accruals without a chain, and their reversals, to a chain, in the order of their sweep ids.
     * Idempotent: an assigned accrual keeps its chain. Default of `limit`: `ASSIGNED_AT_ONCE`.
     */
    readonly assign: (
      token: Address.Address,
      chainId: ChainId,
      limit?: number
    ) => Effect.Effect<Assigned, StoreUnavailable>
    /** Adds an entry with the negated amounts of the sweep's accrual. Idempotent. */
    readonly reverse: (sweepId: string) => Effect.Effect<Booked, AccrualNotFound | StoreUnavailable>
    /** A builder's sums per token and chain, ordered by token, then chain; accruals without a chain come first. */
    readonly totals: (builderId: string) => Effect.Effect<ReadonlyArray<LedgerTotals>, StoreUnavailable>
    /** Sums of a builder's entries that were booked on UTC days from that of `fromMs` to that of `toMs` (UNIX milliseconds). */
    readonly earnings: (
      builderId: string,
      period: { readonly fromMs: number; readonly toMs: number }
    ) => Effect.Effect<Earnings, StoreUnavailable>
    /** {@link totals} over all builders. */
    readonly allTotals: Effect.Effect<ReadonlyArray<LedgerTotals>, StoreUnavailable>
    /**
     * A builder's accruals that meet every condition, newest first; with `before`, those older than the entry of that id. Accruals of
     * one moment are ordered by their ids. `status` may find an accrual of a large batch as owed for a while after the payment.
     */
    readonly activity: (
      builderId: string,
      page: EarningFilter & { readonly before?: string; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<{ readonly id: string; readonly activity: Activity }>, StoreUnavailable>
    /**
     * Entries of a builder about the settlements in one transaction, oldest first, at most 500. A transaction may settle several
     * sweeps of the builder.
     */
    readonly ofTransaction: (
      builderId: string,
      txHash: Hash
    ) => Effect.Effect<ReadonlyArray<LedgerEntry>, StoreUnavailable>
    /** A builder's entries, oldest first; with `after`, those newer than the entry of that id. */
    readonly entries: (
      builderId: string,
      page: { readonly after?: string; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<LedgerEntry>, StoreUnavailable>
  }
>()("sweep/ports/Ledger") {}
