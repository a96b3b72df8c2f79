/** Alerts that follow a condition: raised as long as it holds, cleared once when it no longer does. */
import { Context, Effect, Layer } from "effect"
import { Alerts, type NewAlert } from "../../ports/shared/Alerts.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"

export class StandingAlerts extends Context.Service<
  StandingAlerts,
  {
    readonly raise: (alert: NewAlert) => Effect.Effect<void, StoreUnavailable>
    /** Goes to the store only if the alert may stand: raised here, or by a process before this one. */
    readonly clear: (key: string) => Effect.Effect<void, StoreUnavailable>
  }
>()("sweep/orchestrator/StandingAlerts") {
  static readonly layer = Layer.effect(
    StandingAlerts,
    Effect.gen(function* () {
      const alerts = yield* Alerts
      const known = new Set<string>()
      return {
        raise: (alert) => {
          known.delete(alert.key)
          return alerts.raise(alert)
        },
        clear: (key) =>
          Effect.suspend(() =>
            known.has(key)
              ? Effect.void
              : Effect.andThen(
                  alerts.clear(key),
                  Effect.sync(() => known.add(key))
                )
          )
      }
    })
  )
}
