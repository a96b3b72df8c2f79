/**
 * Raises an alert while the clock of this process and that of its database differ. Deadlines, leases and ages are judged by both. Each
 * process has a clock of its own, so one that is right leaves an alert alone that another one renews.
 */
import { Clock, Effect, Layer } from "effect"
import { leastDifference } from "../domain/ClockDifference.ts"
import { Alerts } from "../ports/shared/Alerts.ts"
import { DatabaseTime } from "../ports/shared/Store.ts"
import * as Background from "./Background.ts"
import * as LeftAlert from "./LeftAlert.ts"

const KIND = "clock_differs"

/** Pause between two questions for the database's time, in milliseconds. */
const PAUSE_MILLIS = 15_000

/** Difference that raises an alert, in milliseconds. */
const MOST_MILLIS = 5_000

/** Time for which the clocks have to differ until the alert is raised, in milliseconds. */
const LASTING_MILLIS = 60_000

/** Makes one question for the database's time. `machine`: name of the machine in the alert. */
const make = Effect.fnUntraced(function* (machine: string) {
  const alerts = yield* Alerts
  const databaseTime = yield* DatabaseTime
  const isLeft = yield* LeftAlert.make(KIND)
  /** Milliseconds for which the clocks have differed. Counted by questions, since this process's clock is wrong. Undefined: they do not. */
  let lasting: number | undefined

  const difference = Effect.gen(function* () {
    const askedAtMs = yield* Clock.currentTimeMillis
    const toldMs = yield* databaseTime
    const answeredAtMs = yield* Clock.currentTimeMillis
    return toldMs === undefined ? 0 : leastDifference({ askedAtMs, answeredAtMs, toldMs })
  })

  return Effect.gen(function* () {
    const millis = yield* difference
    const differs = Math.abs(millis) > MOST_MILLIS
    if (!differs) lasting = undefined
    else lasting = lasting === undefined ? 0 : lasting + PAUSE_MILLIS
    if (lasting === undefined || lasting < LASTING_MILLIS) {
      if (yield* isLeft) yield* alerts.clear(KIND)
      return
    }
    const seconds = Math.floor(Math.abs(millis) / 1_000)
    yield* alerts.raise({
      key: KIND,
      severity: "warning",
      kind: KIND,
      message:
        "The clock of a machine differs from that of the database by more than 5 seconds for over a minute. Correct the clock of the machine " +
        "that `details.machine` names, or that of the database if every machine is named.",
      details: {
        machine,
        detail: `${seconds} seconds ${millis > 0 ? "ahead of" : "behind"} the database`,
        renewedAtMs: yield* Clock.currentTimeMillis
      }
    })
  }).pipe(Effect.withSpan("ClockReview.review"))
})

/** Runs until the scope closes. */
export const layer = (machine: string) =>
  Layer.effectDiscard(
    Effect.flatMap(make(machine), (review) =>
      Background.loop(Background.supervisor("clock review"), { pauseMillis: PAUSE_MILLIS }, review)
    )
  )
