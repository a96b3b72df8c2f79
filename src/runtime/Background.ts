/** Work that goes on for as long as the service runs. */
import { Cause, Effect, Schedule, type Scope } from "effect"
import { StoreUnavailable } from "../ports/shared/Store.ts"

/**
 * Runs `work` now and then again and again, `millis` after each end, until the scope closes. What goes wrong in one run is
 * logged and the next one starts as if nothing had been: all of it must be written to be repeatable.
 */
export const repeatedly = <A, E, R>(
  name: string,
  millis: number,
  work: Effect.Effect<A, E, R>
): Effect.Effect<void, never, R | Scope.Scope> =>
  Effect.suspend(() => {
    const survive = survivor(name)
    return survive(work).pipe(Effect.repeat(Schedule.spaced(millis)), Effect.forkScoped, Effect.asVoid)
  })

/** The database's failure, where nothing else went wrong. */
const outage = (cause: Cause.Cause<unknown>): StoreUnavailable | undefined => {
  const failures = cause.reasons.flatMap((reason) => (Cause.isFailReason(reason) ? [reason.error] : []))
  const [first] = failures
  return failures.length === cause.reasons.length && first instanceof StoreUnavailable ? first : undefined
}

/**
 * Turns failures and defects of a loop's runs into log lines, one for each. An outage of the database gets one line when it
 * begins and one when it is over, however often the loop fails meanwhile.
 */
export const survivor = (name: string): (<A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<void, never, R>) => {
  let isOut = false
  return (work) =>
    work.pipe(
      Effect.flatMap(() =>
        Effect.suspend(() => {
          if (!isOut) return Effect.void
          isOut = false
          return Effect.logInfo(`${name} goes on`)
        })
      ),
      Effect.catchCause((cause) =>
        Effect.suspend(() => {
          const unavailable = outage(cause)
          if (unavailable === undefined) return Effect.logError(`${name} failed and will run again`, cause)
          if (isOut) return Effect.void
          isOut = true
          return Effect.logWarning(`${name} waits for the database: ${unavailable.message}`)
        })
      )
    )
}
