/** Tells a monitor every minute that the service can work. The monitor notices silence, whatever its cause. */
import { Effect, Layer } from "effect"
import type { Heartbeat } from "../ports/shared/AlertDestinations.ts"
import * as Background from "./Background.ts"

/** Pause between two heartbeats, in milliseconds. */
const PAUSE_MILLIS = 60_000

/** Runs until the scope closes. While `isAble` is false, nothing is sent. */
export const layer = <R>(heartbeat: Heartbeat, isAble: Effect.Effect<boolean, never, R>) =>
  Layer.effectDiscard(
    Background.loop(
      Background.supervisor("heartbeat"),
      { pauseMillis: PAUSE_MILLIS },
      Effect.gen(function* () {
        if (!(yield* isAble)) return yield* Effect.logWarning("heartbeat.withheld")
        yield* Effect.catch(heartbeat, ({ detail }) =>
          Effect.annotateLogs(Effect.logWarning("heartbeat.failed"), { detail })
        )
      })
    )
  )
