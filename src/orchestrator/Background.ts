/** Work that goes on for as long as the service runs. */
import { Effect, Schedule, type Scope } from "effect"

/**
 * Runs `work` now and then again and again, `millis` after each end, until the scope closes. What goes wrong in one run is
 * logged and the next one starts as if nothing had been: all of it must be written to be repeatable.
 */
export const repeatedly = <A, E, R>(
  name: string,
  millis: number,
  work: Effect.Effect<A, E, R>
): Effect.Effect<void, never, R | Scope.Scope> =>
  survive(name, work).pipe(Effect.repeat(Schedule.spaced(millis)), Effect.forkScoped, Effect.asVoid)

/** Turns failures and defects of `work` into a log line. */
export const survive = <A, E, R>(name: string, work: Effect.Effect<A, E, R>): Effect.Effect<void, never, R> =>
  work.pipe(
    Effect.asVoid,
    Effect.catchCause((cause) => Effect.logError(`${name} failed and will run again`, cause))
  )
