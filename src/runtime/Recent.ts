/** Results that many callers share for a moment, so that frequent requests cost what one costs. */
import { Clock, Effect, Fiber } from "effect"

/**
 * Makes an effect that runs `effect` at most once within `freshMillis`, and answers every other caller with that run's result. A
 * caller that is interrupted does not interrupt the run.
 */
export const recent = (freshMillis: number) =>
  Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
    const context = yield* Effect.context<R>()
    let newest: { readonly beganAt: number; readonly run: Fiber.Fiber<A, E> } | undefined
    return Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (newest === undefined || now - newest.beganAt >= freshMillis) {
        newest = { beganAt: now, run: yield* Effect.forkDetach(Effect.provideContext(effect, context)) }
      }
      return yield* Fiber.join(newest.run)
    })
  })
