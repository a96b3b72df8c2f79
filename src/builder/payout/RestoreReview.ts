/**
 * Raises an alert while the database was restored, or a standby took over, and nobody has reconciled it. Payouts are refused meanwhile, but
 * sweeps go on unless the operator pauses them.
 */
import { Effect, Layer } from "effect"
import { Payouts } from "../../ports/builder/Payouts.ts"
import { Alerts } from "../../ports/shared/Alerts.ts"
import * as Background from "../../runtime/Background.ts"

const KIND = "database_unreconciled"

/** Pause between reviews, in milliseconds. */
const PAUSE_MILLIS = 15_000

/** Runs until the scope closes. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const alerts = yield* Alerts
    const payouts = yield* Payouts
    const raise = alerts.raise({
      key: KIND,
      severity: "critical",
      kind: KIND,
      message:
        "The database was restored, or another server took over, and it was not reconciled. It may lack the last writes, among them " +
        "pauses, limits and payments. If this restore is not recorded yet, run `sweep operate pause all`, compare the choices of " +
        "operators with your notes, and run `sweep reconcile --since` with the time of the change. If it is recorded, run `sweep reconcile`.",
      details: {}
    })
    const review = payouts.requireReconciled.pipe(
      Effect.andThen(alerts.clear(KIND)),
      Effect.catchTag("RestoreUnreconciled", () => raise),
      Effect.withSpan("RestoreReview.review")
    )
    yield* Background.loop(Background.supervisor("restores"), { pauseMillis: PAUSE_MILLIS }, review)
  })
)
