/** What the operators' console asks of the orchestrator, over its operator routes. */
import { Context, type Effect, type Option, Schema } from "effect"
import type { AlertView, Health } from "../../domain/Health.ts"
import type { RetryOutcome, StuckIntents } from "../../domain/StuckIntent.ts"

/** Nobody told where the orchestrator is, or what opens it. */
export class OperationsNotConfigured extends Schema.TaggedError<OperationsNotConfigured>()("OperationsNotConfigured", {
  /** The settings that are missing. */
  missing: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `not configured: set ${this.missing.join(" and ")}`
  }
}

/** The orchestrator did not answer, or not as it should. */
export class OperationsUnavailable extends Schema.TaggedError<OperationsUnavailable>()("OperationsUnavailable", {
  /** For operators; holds no credentials. */
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

export type OperationsFailure = OperationsNotConfigured | OperationsUnavailable

export class OrchestratorOperations extends Context.Service<
  OrchestratorOperations,
  {
    readonly health: Effect.Effect<Health, OperationsFailure>
    /** Critical first, then oldest first. */
    readonly alerts: Effect.Effect<ReadonlyArray<AlertView>, OperationsFailure>
    /** Sweeps that do not get on; the orchestrator's own limit and age unless told. */
    readonly stuck: (query: {
      readonly limit?: number
      readonly olderThanSeconds?: number
    }) => Effect.Effect<StuckIntents, OperationsFailure>
    /** Makes a sweep free to be sent now, and tells what came of it; none where the id is unknown. Safe to repeat. */
    readonly retry: (id: string) => Effect.Effect<Option.Option<RetryOutcome>, OperationsFailure>
  }
>()("sweep/ports/OrchestratorOperations") {}
