/** What the orchestrator reported of builders' sweeps: every event once, and what they add up to. */
import { Context, type Effect, Schema } from "effect"
import type { ChainId } from "../../domain/ChainId.ts"
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

export interface SweepFilter {
  readonly status?: SweepStatus
  /** The source or the destination chain. */
  readonly chainId?: ChainId
}

export class Sweeps extends Context.Service<
  Sweeps,
  {
    /**
     * Keeps an event under its id. Repeated with the same content it changes nothing, however many report it at once. Events
     * of an intent may come in any order.
     */
    readonly record: (event: SweepEvent) => Effect.Effect<Booked, SweepConflict | UnknownBuilder | StoreUnavailable>
    /** A builder's sweeps, newest first, from before `before` on. */
    readonly list: (
      builderId: string,
      page: SweepFilter & { readonly before?: string; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<{ readonly cursor: string; readonly sweep: Sweep }>, StoreUnavailable>
    /** Every event of a builder's sweep, in the order of the statuses; none where the builder has no such sweep. */
    readonly timeline: (
      builderId: string,
      intentId: string
    ) => Effect.Effect<ReadonlyArray<SweepEvent>, StoreUnavailable>
    /** A builder's sweeps that started from `fromMs` until before `toMs`. */
    readonly totals: (
      builderId: string,
      period: { readonly fromMs: number; readonly toMs: number }
    ) => Effect.Effect<SweepTotals, StoreUnavailable>
  }
>()("sweep/ports/Sweeps") {}
