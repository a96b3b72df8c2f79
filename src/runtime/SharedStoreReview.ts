/**
 * Raises an alert while the shared store of rate limits and answers is away, and clears it when the store is back. Each process has a way to
 * the store of its own, so one that reaches it leaves an alert alone that another one renews.
 */
import { Clock, Effect, Layer } from "effect"
import { Alerts } from "../ports/shared/Alerts.ts"
import { SharedWindows, type Taking } from "../ports/shared/SharedWindows.ts"
import * as Background from "./Background.ts"
import * as LeftAlert from "./LeftAlert.ts"

const PAUSE_MILLIS = 10_000

const DEADLINE_MILLIS = 1_000

/** Probes in a row that fail before the alert: a restart of the store is not worth one. */
const FAILURES = 3

const KEY = "redis_away"

/** A count of its own, so that a probe needs the rights that requests need. */
const PROBE: Taking = { key: "review", tokens: 1, limit: 1, windowMillis: 1_000 }

/** Runs until the scope closes. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const alerts = yield* Alerts
    const shared = yield* SharedWindows
    const isLeft = yield* LeftAlert.make(KEY)
    let failures = 0
    const probe = shared.take(PROBE).pipe(
      Effect.timeout(DEADLINE_MILLIS),
      Effect.match({
        onFailure: ({ message }) => message,
        onSuccess: () => undefined
      })
    )
    const round = Effect.gen(function* () {
      const problem = yield* probe
      failures = problem === undefined ? 0 : failures + 1
      if (problem === undefined || failures < FAILURES) {
        if (yield* isLeft) yield* alerts.clear(KEY)
        return
      }
      yield* alerts.raise({
        key: KEY,
        severity: "warning",
        kind: "redis_away",
        message:
          "Redis does not answer. Each replica counts requests alone, so a client can send its limit to each of them, and asks risk services for itself. Check REDIS_URL and its server.",
        details: { detail: problem, renewedAtMs: yield* Clock.currentTimeMillis }
      })
    })
    yield* Background.loop(Background.supervisor("shared store review"), { pauseMillis: PAUSE_MILLIS }, round)
  })
)

/** Clears the alert where no store is configured, once no process renews it. Runs until the scope closes. */
export const layerUnconfigured = LeftAlert.layerClearing(KEY, "shared store review", PAUSE_MILLIS)
