/**
 * Ends alerts about events of sweeps that were reported with different content. The orchestrator gives up a refused event, so most are
 * never reported again, and such an alert has no end that can be observed. It stands for a day after the last report.
 */
import { Clock, Effect, Layer } from "effect"
import { Alerts } from "../../ports/shared/Alerts.ts"
import * as Background from "../../runtime/Background.ts"

const ALERT_MILLIS = 24 * 3_600_000

/** Pause between reviews, in milliseconds. */
const PAUSE_MILLIS = 60_000

/** Runs until the scope closes. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const alerts = yield* Alerts
    const review = Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      for (const { details, key, kind, sinceMs } of yield* alerts.list) {
        if (kind !== "sweep_event_conflict") continue
        const { lastAtMs } = details
        const last = typeof lastAtMs === "number" ? lastAtMs : sinceMs
        if (nowMs - last >= ALERT_MILLIS) yield* alerts.clear(key)
      }
    }).pipe(Effect.withSpan("EventConflictReview.review"))
    yield* Background.loop(Background.supervisor("event_conflicts"), { pauseMillis: PAUSE_MILLIS }, review)
  })
)
