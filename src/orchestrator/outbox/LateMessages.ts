/** Raises an alert while a booking waits for the builder backend for too long. Deferred messages are offered again without end. */
import { Clock, Effect, Layer } from "effect"
import { ageOf } from "../../domain/Age.ts"
import * as FailureSeries from "../../domain/FailureSeries.ts"
import { Backlog } from "../../ports/orchestrator/Backlog.ts"
import * as Background from "../../runtime/Background.ts"
import * as LeftAlert from "../../runtime/LeftAlert.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

const KIND = "outbox_late"

/** Age of a booking that is late, in milliseconds. */
const LATE_MILLIS = 900_000

/**
 * Pause between two looks, in milliseconds. A rejected message waits for a moment when it is offered again, every 30 seconds
 * (RejectedMessages). Looks at this pace do not meet it each time.
 */
const PAUSE_MILLIS = 20_000

/** Each look of a minute has to find a late booking. */
const RULES: FailureSeries.Rules = { lastingMillis: 60_000, quietMillis: 2 * PAUSE_MILLIS }

/** Makes one look. All processes see the same messages, so each may raise and clear the alert. */
export const make = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const { outbox } = yield* Backlog
  let series: FailureSeries.Series | undefined

  return Effect.gen(function* () {
    const { oldestMs, waiting } = (yield* outbox).ledger
    const now = yield* Clock.currentTimeMillis
    const isLate = oldestMs !== undefined && ageOf(now, oldestMs) >= LATE_MILLIS
    series = isLate ? FailureSeries.next(series, true, now, RULES) : undefined
    if (!isLate) return yield* alerts.clear(KIND)
    if (series?.lasts !== true) return
    yield* alerts.raise({
      key: KIND,
      severity: "critical",
      kind: KIND,
      message:
        "A booking has waited for the builder backend for over 15 minutes. Nothing is lost, and all of them are booked once the backend takes them. Check that it answers, BUILDER_URL, and that BUILDER_ADMIN_TOKEN is a token that it accepts. The log event outbox.deferred has the reason.",
      details: { waiting, oldestMs, renewedAtMs: now }
    })
  })
})

/** Runs until the scope closes. */
export const layer = Layer.effectDiscard(
  Effect.flatMap(make, (look) =>
    Background.loop(Background.supervisor("late messages"), { pauseMillis: PAUSE_MILLIS }, look)
  )
).pipe(Layer.provide(StandingAlerts.layer))

/** Clears the alert where no backend is configured, once no process renews it: bookings wait until there is one. Runs until the scope closes. */
export const layerUnconfigured = LeftAlert.layerClearing(KIND, "late messages", PAUSE_MILLIS)
