/**
 * Limits of a signer outside this process: a deadline, places, a budget of requests, and a pause after failures, so that a signer that
 * does not answer holds nothing but its own account.
 */
import { Duration, Effect, Schedule, Semaphore, Stream } from "effect"
import { CircuitBreaker, RateLimiter } from "effect/persistence"
import { KeyFailed } from "../evm/keys/KeyAccount.ts"

export interface Limits {
  /** Name of the account in logs. */
  readonly name: string
  /** Timeout of a signature with its wait for a place, in milliseconds. */
  readonly deadlineMillis: number
  /** Signatures per minute. Default: 300. */
  readonly perMinute?: number
}

export interface SignerLimits {
  /** Signs within the limits. */
  readonly limited: <A>(sign: Effect.Effect<A, KeyFailed>) => Effect.Effect<A, KeyFailed>
  /** False while no signature is asked for, after failures in a row. */
  readonly isAnswering: Effect.Effect<boolean>
}

/** Requests under way to one signer. */
const PLACES = 4

/** Signatures that a lane needs in a busy minute: 2 batches in each of 6 seconds on 6 chains, and as many replacements. */
const PER_MINUTE = 300

/** Failures in a row after which the signer is left alone. */
const FAILURES = 2

/** The pause doubles with each failed attempt. */
const FIRST_PAUSE = Duration.seconds(5)
const LONGEST_PAUSE = Duration.minutes(2)

const makeBudget = Effect.fnUntraced(function* (key: string, limit: number) {
  const limiter = yield* RateLimiter.make.pipe(Effect.provide(RateLimiter.layerStoreMemory))
  return limiter.consume({ algorithm: "token-bucket", onExceeded: "fail", window: "1 minute", limit, key }).pipe(
    Effect.mapError(() => new KeyFailed({ detail: `more than ${limit} signatures in a minute` })),
    Effect.asVoid
  )
})

/** Limits that live as long as the scope. */
export const make = Effect.fnUntraced(function* ({ deadlineMillis, name, perMinute = PER_MINUTE }: Limits) {
  const budget = yield* makeBudget(name, perMinute)
  const places = yield* Semaphore.make(PLACES)
  const breaker = yield* CircuitBreaker.make({
    tripPolicy: CircuitBreaker.consecutive(FAILURES),
    openDuration: Schedule.min([Schedule.exponential(FIRST_PAUSE), Schedule.spaced(LONGEST_PAUSE)])
  }).pipe(Effect.provide(CircuitBreaker.layerStoreMemory()))
  yield* breaker.transitions.pipe(
    Stream.runForEach(({ to }) => {
      if (to === "HalfOpen") return Effect.void
      const event = to === "Open" ? Effect.logWarning("signer.lost") : Effect.logInfo("signer.recovered")
      return Effect.annotateLogs(event, { account: name })
    }),
    Effect.forkScoped
  )
  const timedOut = new KeyFailed({ detail: `no answer within ${deadlineMillis} ms` })

  const limited: SignerLimits["limited"] = (sign) =>
    sign.pipe(
      places.withPermit,
      Effect.timeoutOrElse({ duration: deadlineMillis, orElse: () => Effect.fail(timedOut) }),
      (each) => breaker.execute(each, { key: name }),
      Effect.mapError((error) =>
        error instanceof CircuitBreaker.CircuitBreakerError
          ? new KeyFailed({ detail: "it failed repeatedly and is asked again after a pause" })
          : error
      ),
      // A spent budget says nothing about the signer.
      (each) => Effect.andThen(budget, each)
    )

  return {
    limited,
    // The circuit stays open until the next signature, so only the rest of the pause counts.
    isAnswering: Effect.map(
      Effect.orDie(breaker.state(name)),
      (state) => state._tag !== "Open" || Duration.toMillis(state.retryAfter) === 0
    )
  } satisfies SignerLimits
})
