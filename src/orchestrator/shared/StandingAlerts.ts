/** Alerts that follow a condition: raised while it holds, cleared once when it ends. */
import { Context, Effect, Layer } from "effect"
import { Alerts, type NewAlert } from "../../ports/shared/Alerts.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"

export class StandingAlerts extends Context.Service<
  StandingAlerts,
  {
    readonly raise: (alert: NewAlert) => Effect.Effect<void, StoreUnavailable>
    /** Clears the alert in the store, unless this process has cleared it already and not raised it since. */
    readonly clear: (key: string) => Effect.Effect<void, StoreUnavailable>
  }
>()("sweep/orchestrator/StandingAlerts") {
  static readonly layer = Layer.effect(
    StandingAlerts,
    Effect.gen(function* () {
      const alerts = yield* Alerts
      const cleared = new Set<string>()
      return {
        raise: (alert) => {
          cleared.delete(alert.key)
          return alerts.raise(alert)
        },
        clear: (key) =>
          Effect.suspend(() =>
            cleared.has(key)
              ? Effect.void
              : Effect.andThen(
                  alerts.clear(key),
                  Effect.sync(() => cleared.add(key))
                )
          )
      }
    })
  )
}
