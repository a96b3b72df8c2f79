/** Outcomes of requests to a provider, for its circuit and for the metrics. */
import { Cause, Effect, Exit, Option } from "effect"
import { CircuitBreaker } from "effect/persistence"
import { PROVIDER_DURATION, PROVIDER_REQUESTS } from "../../telemetry/metrics/Upstreams.ts"
import { timed } from "../../telemetry/Timed.ts"
import { ProviderUnavailable } from "./ProviderUnavailable.ts"

/** The failure of the provider that an exit tells. None if the provider answered, or if no request was sent. */
export const lossOf = (exit: Exit.Exit<unknown, unknown>): Option.Option<ProviderUnavailable> =>
  Exit.findErrorOption(exit).pipe(
    Option.filter((error) => error instanceof ProviderUnavailable),
    Option.filter((error) => error.reason === "failed")
  )

/** Cause of an exit's failure beside the provider, see {@link ProviderUnavailable}. */
export const blameOf = (exit: Exit.Exit<unknown, unknown>): ProviderUnavailable["blame"] =>
  Option.getOrUndefined(lossOf(exit))?.blame

/** True if no answer came in time, or if the key was refused. */
export const isOutage = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Option.getOrUndefined(lossOf(exit))?.isOutage === true

const isWaiting = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Option.exists(
    Exit.findErrorOption(exit),
    (error) => error instanceof ProviderUnavailable && error.reason === "waiting"
  )

/** True if the answer was no longer awaited. */
export const isAbandoned = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)

/** The outcome for the circuit. Defects count as failures, and interruptions and answers that are too large not at all. */
export const outcomeOf = (exit: Exit.Exit<unknown, unknown>): CircuitBreaker.Outcome => {
  if (isWaiting(exit) || blameOf(exit) === "size") return CircuitBreaker.ignored
  const isDefect = Exit.isFailure(exit) && !Cause.hasFails(exit.cause)
  return isDefect || Option.isSome(lossOf(exit)) ? CircuitBreaker.failure() : CircuitBreaker.success
}

/** Counts a request, and how long it took if it was sent. */
export const counted = (provider: string) =>
  timed((exit, seconds) => {
    if (isWaiting(exit)) return PROVIDER_REQUESTS.record(1, { provider, outcome: "waiting" })
    if (isAbandoned(exit)) return PROVIDER_REQUESTS.record(1, { provider, outcome: "abandoned" })
    const outcome = outcomeOf(exit)._tag === "Success" ? "answered" : "failed"
    return Effect.andThen(
      PROVIDER_REQUESTS.record(1, { provider, outcome }),
      PROVIDER_DURATION.record(seconds, { provider })
    )
  })
