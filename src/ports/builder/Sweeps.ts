/** Sweeps of builders as the orchestrator reported them: their events and the current state that these add up to. */
import { Context, type Effect, type Option, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Hash } from "../../domain/Hex.ts"
import type { SearchTerm } from "../../domain/SearchTerm.ts"
import type { Sweep, SweepTotals } from "../../domain/Sweep.ts"
import type { SweepEvent, SweepStatus } from "../../domain/SweepEvent.ts"
import type { Booked, UnknownBuilder } from "./Ledger.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

/** The event was reported with other content, or its intent with another builder. */
export class SweepConflict extends Schema.TaggedError<SweepConflict>()("SweepConflict", { id: Schema.String }) {
  override get message(): string {
    return `the sweep event ${this.id} was reported with other content`
  }
}

/** Conditions that a listed sweep must meet. */
export interface SweepFilter {
  readonly status?: SweepStatus
  /** Matches the source or the destination chain. */
  readonly chainId?: ChainId
  /** Matches the swept or the received token. With `chainId`, the token on that chain. */
  readonly token?: Address.Address
  /** Started at this time or later, in UNIX milliseconds. */
  readonly fromMs?: number
  /** Started before this time, in UNIX milliseconds. */
  readonly toMs?: number
  /** The owner, the hash of the source or the delivering transaction, or the id. */
  readonly search?: SearchTerm
}

/** A sweep that a transaction settled. */
export interface SettledSweep {
  readonly intentId: string
  readonly txHash: Hash
  readonly builderFee: bigint
}

export class Sweeps extends Context.Service<
  Sweeps,
  {
    /**
     * Stores an event under its id. Idempotent: repeated with the same content, it changes nothing. The events of an
     * intent may arrive in any order.
     */
    readonly record: (event: SweepEvent) => Effect.Effect<Booked, SweepConflict | UnknownBuilder | StoreUnavailable>
    /**
     * A builder's sweeps that meet every condition, newest first; with `before`, those older than that cursor. Sweeps that started at
     * one moment are ordered by their arrival.
     */
    readonly list: (
      builderId: string,
      page: SweepFilter & { readonly before?: string; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<{ readonly cursor: string; readonly sweep: Sweep }>, StoreUnavailable>
    /** A builder's sweep; none if the builder has no such sweep. */
    readonly find: (builderId: string, intentId: string) => Effect.Effect<Option.Option<Sweep>, StoreUnavailable>
    /** A builder's sweeps whose source transactions these are, in no order. */
    readonly ofTransactions: (
      builderId: string,
      txHashes: ReadonlyArray<Hash>
    ) => Effect.Effect<ReadonlyArray<SettledSweep>, StoreUnavailable>
    /** Builder of a sweep; none if the sweep is unknown, or attributed to nobody. */
    readonly builderOf: (intentId: string) => Effect.Effect<Option.Option<string>, StoreUnavailable>
    /**
     * Events of a builder's sweep in the order of their statuses; empty if the builder has no such sweep, or if its events
     * were deleted for their age.
     */
    readonly timeline: (
      builderId: string,
      intentId: string
    ) => Effect.Effect<ReadonlyArray<SweepEvent>, StoreUnavailable>
    /** Sums over a builder's sweeps that started from `fromMs` to before `toMs` (UNIX milliseconds). */
    readonly totals: (
      builderId: string,
      period: { readonly fromMs: number; readonly toMs: number }
    ) => Effect.Effect<SweepTotals, StoreUnavailable>
  }
>()("sweep/ports/Sweeps") {}
