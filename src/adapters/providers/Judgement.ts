/** Judges the outcomes of requests for the circuit of a provider, so that failures of one subject do not open it (`Subject.ts`). */
import { Clock, Effect, type Exit } from "effect"
import { CircuitBreaker } from "effect/persistence"
import type * as Health from "./Health.ts"
import * as Outcome from "./Outcome.ts"
import type { ProviderUnavailable } from "./ProviderUnavailable.ts"
import * as Subject from "./Subject.ts"

/** Time of failures without a success after which further failures of a subject count, too, in milliseconds. */
const REPEATS_COUNT_AFTER_MILLIS = 60_000

/** Longest time between two failures of one series, in milliseconds. While nobody asks, the provider does not fail. */
const LONGEST_QUIET_MILLIS = 30_000

/** Failures in a row without a success between them. Times are UNIX milliseconds. */
interface Failing {
  readonly sinceMs: number
  readonly latestMs: number
  /** Subject of the first failure. Undefined if the provider alone caused it. */
  readonly subject: string | undefined
  /** True if more than one subject failed, or a request whose subject did not cause it. */
  readonly isWide: boolean
}

const next = (failing: Failing | undefined, subject: string | undefined, now: number): Failing =>
  failing === undefined || now - failing.latestMs > LONGEST_QUIET_MILLIS
    ? { sinceMs: now, latestMs: now, subject, isWide: subject === undefined }
    : { ...failing, latestMs: now, isWide: failing.isWide || subject !== failing.subject }

/**
 * Makes the judgement of one provider. With `toleratedMillis` above 0, only outages count ({@link Outcome.isOutage}), and they open the
 * circuit after they have lasted for that time. `sinceMs` and `now` are UNIX milliseconds.
 */
export const make = (
  circuit: Effect.Effect<Health.Circuit>,
  toleratedMillis: number,
  waiting: (left: number) => ProviderUnavailable
) => {
  const failures = Subject.makeFailures()
  let lastSuccessAt = Number.NEGATIVE_INFINITY
  let failing: Failing | undefined

  const ofFailure = Effect.fnUntraced(function* (
    failure: CircuitBreaker.Outcome,
    subject: string | undefined,
    sinceMs: number,
    { isWide, latestMs, sinceMs: failingSinceMs }: Failing
  ) {
    const failingMillis = latestMs - failingSinceMs
    const isClosed = (yield* circuit).state === "closed"
    if (isClosed && failingMillis < toleratedMillis) return CircuitBreaker.ignored
    if (subject === undefined) return failure
    const isFirst = failures.failed(subject, sinceMs)
    // A success since the request was made shows that the provider works.
    if (lastSuccessAt > sinceMs) return CircuitBreaker.ignored
    if (isFirst) return failure
    // One subject must neither open the circuit alone nor, as a probe, keep it open for all.
    const isLost = isWide && failingMillis >= REPEATS_COUNT_AFTER_MILLIS && isClosed
    return isLost ? failure : CircuitBreaker.ignored
  })

  return {
    /** Fails while the circuit is not closed and others are likelier to tell that the provider is back. */
    mayProbe: Effect.fnUntraced(function* (subject: string | undefined, now: number) {
      if (subject === undefined || !failures.hasFailed(subject, now)) return
      const { retryAfterMillis, state } = yield* circuit
      if (state === "closed" || retryAfterMillis > 0) return
      const left = failures.untilProbe(now)
      if (left > 0) return yield* waiting(left)
    }),
    /** The outcome, for the circuit, of a request that was made at `sinceMs`. */
    outcomeOf: (subject: string | undefined, sinceMs: number) =>
      Effect.fnUntraced(function* (exit: Exit.Exit<unknown, unknown>) {
        const now = yield* Clock.currentTimeMillis
        const outcome = Outcome.outcomeOf(exit)
        if (outcome._tag === "Success") {
          lastSuccessAt = now
          failing = undefined
        }
        if (outcome._tag !== "Failure") return outcome
        if (toleratedMillis > 0 && !Outcome.isOutage(exit)) return CircuitBreaker.ignored
        const blamed = Outcome.blameOf(exit) === "subject" ? subject : undefined
        failing = next(failing, blamed, now)
        return yield* ofFailure(outcome, blamed, sinceMs, failing)
      })
  }
}
