/** Operations of the orchestrator that the operators' console uses, over its operator routes. */
import { Context, type Effect, type Option, Schema } from "effect"
import type { AlertView, Health } from "../../domain/Health.ts"
import type { MoneyView, Period } from "../../domain/Money.ts"
import type { RetryOutcome, StuckIntents } from "../../domain/StuckIntent.ts"
import type { ChangeOfPause, PauseView } from "../../domain/Pause.ts"
import type { FoundByOrchestrator, SweepStory } from "../../domain/SweepStory.ts"
import type { TreasuryView } from "../../domain/Treasury.ts"

/** The orchestrator's URL or its operator token is not set. */
export class OperationsNotConfigured extends Schema.TaggedError<OperationsNotConfigured>()("OperationsNotConfigured", {
  /** Names of the missing settings. */
  missing: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `not configured: set ${this.missing.join(" and ")}`
  }
}

/** The orchestrator did not answer, or its answer was unusable. */
export class OperationsUnavailable extends Schema.TaggedError<OperationsUnavailable>()("OperationsUnavailable", {
  /** For operators. Contains no credentials. */
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

/** Failures of every operation. */
export type OperationsFailure = OperationsNotConfigured | OperationsUnavailable

export class OrchestratorOperations extends Context.Service<
  OrchestratorOperations,
  {
    /** The orchestrator's health report. */
    readonly health: Effect.Effect<Health, OperationsFailure>
    /** Standing alerts, critical first, then oldest first. */
    readonly alerts: Effect.Effect<ReadonlyArray<AlertView>, OperationsFailure>
    /** Sweeps that make no progress. Default limit and age: those of the orchestrator. */
    readonly stuck: (query: {
      readonly limit?: number
      readonly olderThanSeconds?: number
    }) => Effect.Effect<StuckIntents, OperationsFailure>
    /** Books and sales of collected fees. */
    readonly treasury: Effect.Effect<TreasuryView, OperationsFailure>
    /** Earnings and costs of the last UTC days, today included. */
    readonly money: (days: Period) => Effect.Effect<MoneyView, OperationsFailure>
    /** Sweeps that a text names, and the parts of an address. */
    readonly find: (text: string) => Effect.Effect<FoundByOrchestrator, OperationsFailure>
    /** All that the orchestrator knows of a sweep; none if the id is unknown. */
    readonly story: (id: string) => Effect.Effect<Option.Option<SweepStory>, OperationsFailure>
    /** Standing pauses, and choices of operators against configured ones. */
    readonly pauses: Effect.Effect<ReadonlyArray<PauseView>, OperationsFailure>
    /** Changes a pause and returns it; none if the chain is not served. Idempotent. */
    readonly changePause: (change: ChangeOfPause) => Effect.Effect<Option.Option<PauseView>, OperationsFailure>
    /** Makes a sweep claimable again at once and returns the outcome; none if the id is unknown. Idempotent. */
    readonly retry: (id: string) => Effect.Effect<Option.Option<RetryOutcome>, OperationsFailure>
  }
>()("sweep/ports/OrchestratorOperations") {}
