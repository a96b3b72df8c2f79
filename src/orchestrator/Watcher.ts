/**
 * Moves intents on by what the chains prove: receipts, the guard's `Swept` event, depth, and the bridge's delivery.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../ports/Store.ts"

/** What one pass moved. */
export interface TickReport {
  /** Relay transactions looked at. */
  readonly transactions: number
  readonly rebroadcast: number
  readonly replaced: number
  readonly settledSource: number
  readonly delivered: number
  readonly failed: number
  /** Messages that the builder backend acknowledged. */
  readonly outboxDelivered: number
  /** Chains whose node did not answer; their intents wait for the next pass. */
  readonly unavailableChains: ReadonlyArray<number>
}

export class Watcher extends Context.Service<
  Watcher,
  {
    /** One pass over everything unfinished. Safe to run at any time, also beside the scheduled one. */
    readonly tick: Effect.Effect<TickReport, StoreUnavailable>
  }
>()("sweep/orchestrator/Watcher") {}
