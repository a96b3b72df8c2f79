/** Whether everything the orchestrator depends on works, for operators and load balancers. */
import { Context, type Effect } from "effect"
import type { Health } from "../domain/Health.ts"

export class HealthCheck extends Context.Service<
  HealthCheck,
  {
    /** Never fails: what cannot be reached is reported as down. */
    readonly check: Effect.Effect<Health>
  }
>()("sweep/orchestrator/HealthCheck") {}
