/** Alerts that follow a condition: raised while it holds, cleared when it ends. */
import { Clock, Context, Effect, Layer } from "effect"
import { type Alert, Alerts, type NewAlert } from "../../ports/shared/Alerts.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as AgedMap from "./AgedMap.ts"

/** Time for which a cleared alert is not cleared again, in milliseconds. Another replica may have raised it and ended since. */
const CLEARED_MILLIS = 60_000

export class StandingAlerts extends Context.Service<
  StandingAlerts,
  {
    readonly raise: (alert: NewAlert) => Effect.Effect<void, StoreUnavailable>
    /** Clears the alert in the store, unless this process has done so in the last minute and not raised it since. */
    readonly clear: (key: string) => Effect.Effect<void, StoreUnavailable>
    /**
     * Clears the standing alerts that `isGone` selects, whichever process raised them. Ends alerts whose subject left the settings, since
     * no later observation would.
     */
    readonly clearWhere: (isGone: (alert: Alert) => boolean) => Effect.Effect<void, StoreUnavailable>
  }
>()("sweep/orchestrator/StandingAlerts") {
  static readonly layer = Layer.effect(
    StandingAlerts,
    Effect.gen(function* () {
      const alerts = yield* Alerts
      const cleared = AgedMap.make<string, true>(CLEARED_MILLIS)
      return {
        raise: (alert) => {
          cleared.delete(alert.key)
          return alerts.raise(alert)
        },
        clear: (key) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            cleared.get(key, now)
              ? Effect.void
              : Effect.andThen(
                  alerts.clear(key),
                  Effect.sync(() => cleared.set(key, true, now))
                )
          ),
        clearWhere: Effect.fn("StandingAlerts.clearWhere")(function* (isGone: (alert: Alert) => boolean) {
          for (const alert of yield* alerts.list) {
            if (!isGone(alert)) continue
            yield* alerts.clear(alert.key)
            yield* Effect.annotateLogs(Effect.logInfo("alert.cleared_with_its_subject"), { alert: alert.key })
          }
        })
      }
    })
  )
}
