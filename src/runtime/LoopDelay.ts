/**
 * Delay with which the event loop starts tasks that are due. It grows when the process needs more CPU than it gets, whatever takes
 * it, and it does not grow while requests wait for others.
 */
import { Clock, Context, Effect, Layer } from "effect"

/** Time between two measurements. */
const INTERVAL_MILLIS = 20

/** Weight of the newest measurement in the mean, which therefore tells about the last 100 milliseconds. */
const WEIGHT = 0.2

const NANOS_PER_MILLI = 1_000_000

export class LoopDelay extends Context.Service<
  LoopDelay,
  {
    /** Mean delay in milliseconds. 0 while nothing is measured. */
    readonly millis: () => number
    /** Measures while the effect runs. */
    readonly measured: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("sweep/runtime/LoopDelay") {
  static readonly layer = Layer.sync(LoopDelay, () => {
    /** `requests`: those that want the measurement. */
    const state = { mean: 0, requests: 0, isRunning: false }

    const measure = Effect.gen(function* () {
      while (state.requests > 0) {
        const before = yield* Clock.currentTimeNanos
        yield* Effect.sleep(INTERVAL_MILLIS)
        const passed = Number((yield* Clock.currentTimeNanos) - before) / NANOS_PER_MILLI
        state.mean += WEIGHT * (Math.max(0, passed - INTERVAL_MILLIS) - state.mean)
      }
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          state.isRunning = false
          state.mean = 0
        })
      )
    )

    /** One fiber measures for all, and ends by itself. */
    const begin = Effect.suspend(() => {
      state.requests += 1
      if (state.isRunning) return Effect.void
      state.isRunning = true
      return Effect.asVoid(Effect.forkDetach(measure))
    })

    const end = Effect.sync(() => {
      state.requests -= 1
    })

    return LoopDelay.of({
      millis: () => state.mean,
      measured: (effect) =>
        Effect.acquireUseRelease(
          begin,
          () => effect,
          () => end
        )
    })
  })
}
