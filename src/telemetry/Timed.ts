/** Times of effects, measured around them. */
import { Clock, Effect, type Exit } from "effect"

const NANOS_PER_SECOND = 1_000_000_000

/** Runs `note` with the effect's exit and the seconds that it took. */
export const timed =
  (note: (exit: Exit.Exit<unknown, unknown>, seconds: number) => Effect.Effect<void>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Clock.clockWith((clock) => {
      const start = clock.currentTimeNanosUnsafe()
      return Effect.onExit(effect, (exit) =>
        note(exit, Number(clock.currentTimeNanosUnsafe() - start) / NANOS_PER_SECOND)
      )
    })
