/**
 * One outside HTTP service, asked under rules that hold for all of them:
 *
 * - each request has a deadline, which covers the body and the reading of it, and waits as long for its turn before. No redirects, which would send keys elsewhere, and no
 *   retries: another provider or the next round is the retry.
 * - A budget of requests per time, so that a provider's limit is not passed for long. Without one nothing is limited. Half of it, and half
 *   of the places, can be kept for urgent requests.
 * - A pause that a provider asks for (429 or 503 with `Retry-After`) is kept.
 * - After failures in a row the circuit opens: no request is sent for a time that doubles, and then one request to see if it is back.
 *   Timeouts and errors that the subject of a request may cause count once for each subject, and not beside answers (`Judgement.ts`).
 * - Bodies have a bounded size and are decoded by schemas.
 *
 * Errors and logs have no bodies, keys or URLs. Spans are off, because they contain URLs, and some URLs contain keys.
 */
import { Clock, Duration, Effect, type Exit, Option, Schedule, type Scope, Stream } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { CircuitBreaker } from "effect/persistence"
import { type ProviderState, ProviderStates } from "../../ports/shared/ProviderStates.ts"
import * as Answer from "./Answer.ts"
import * as Budget from "./Budget.ts"
import * as Health from "./Health.ts"
import * as Judgement from "./Judgement.ts"
import * as Outcome from "./Outcome.ts"
import * as Places from "./Places.ts"
import { ProviderUnavailable } from "./ProviderUnavailable.ts"
import * as RetryAfter from "./RetryAfter.ts"
import * as Subject from "./Subject.ts"

export interface Options {
  /** Unique. Shown to operators and written to logs. */
  readonly name: string
  /** With or without a trailing slash. Paths of requests are appended. */
  readonly baseUrl: string
  /** Sent with each request, such as an API key. */
  readonly headers?: HttpClientRequest.Options["headers"]
  /** Time limit of one request. Default: 2.5 seconds. */
  readonly deadline?: Duration.Input
  /** Default: no limit. */
  readonly budget?: Budget.Budget
  /** Longest pause that the provider can ask for. Default and maximum: 10 minutes. */
  readonly longestPause?: Duration.Input
  /** Largest body in bytes. Default: 1 MiB. */
  readonly maxBytes?: number
  /** HTTP statuses by which the provider refuses the key, and with it all requests. Default: 401, 402 and 403. */
  readonly keyRefused?: ReadonlySet<number>
  /** Failures in a row that open the circuit. Default: 5. */
  readonly failuresToOpen?: number
  /**
   * Time without a success after which timeouts, transport errors and refusals of the key open the circuit. Other failures, which delay
   * nobody, do not count then. Default: 0, and all failures count.
   */
  readonly toleratedFor?: Duration.Input
  /** First time for which the circuit is open. It doubles with each failed probe. Default: 5 seconds. */
  readonly openFor?: Duration.Input
  /** Longest time for which the circuit is open. Default: 5 minutes. */
  readonly longestOpen?: Duration.Input
}

export interface Provider {
  readonly name: string
  /**
   * Sends a request, with a path below the base URL, and reads its answer. `read` gets each answer whose status speaks of the request:
   * neither that of a refused key, 408, 429, 5xx nor a redirect. If it fails with {@link ProviderUnavailable}, the provider has failed. Any
   * other failure of it, such as "no route", is an answer of a provider that works.
   */
  readonly ask: <A, E>(
    request: HttpClientRequest.HttpClientRequest,
    read: (answer: Answer.Answer) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E | ProviderUnavailable>
  /** Fails as {@link ask} would without sending a request: during a pause, or while the circuit is open. */
  readonly ready: Effect.Effect<void, ProviderUnavailable>
  /** An answer that cannot be used, with the reason. For readers. */
  readonly unusable: (detail: string) => ProviderUnavailable
  readonly state: Effect.Effect<ProviderState>
}

const DEFAULTS = {
  deadline: Duration.millis(2_500),
  longestPause: Duration.millis(RetryAfter.LONGEST_PAUSE_MILLIS),
  maxBytes: 1_048_576,
  keyRefused: new Set([401, 402, 403]),
  failuresToOpen: 5,
  toleratedFor: Duration.zero,
  openFor: Duration.seconds(5),
  longestOpen: Duration.minutes(5)
}

const longestPauseOf = ({ longestPause = DEFAULTS.longestPause }: Options): number =>
  Math.min(RetryAfter.LONGEST_PAUSE_MILLIS, Duration.toMillis(Duration.fromInputUnsafe(longestPause)))

const seconds = (millis: number): string => `${Math.ceil(millis / 1_000)} s`

/** The circuit of one provider, which logs when it opens and closes. */
const makeCircuit = Effect.fnUntraced(function* ({
  failuresToOpen = DEFAULTS.failuresToOpen,
  longestOpen = DEFAULTS.longestOpen,
  name,
  openFor = DEFAULTS.openFor
}: Options) {
  const breaker = yield* CircuitBreaker.make({
    tripPolicy: CircuitBreaker.consecutive(failuresToOpen),
    openDuration: Schedule.min([Schedule.exponential(openFor), Schedule.spaced(longestOpen)])
  }).pipe(Effect.provide(CircuitBreaker.layerStoreMemory()))
  yield* breaker.transitions.pipe(
    Stream.runForEach((transition) => {
      if (transition.to === "HalfOpen") return Effect.void
      const log =
        transition.to === "Open"
          ? Effect.annotateLogs(Effect.logWarning("provider.lost"), {
              forMillis: Duration.toMillis(transition.retryAfter)
            })
          : Effect.logInfo("provider.recovered")
      return Effect.annotateLogs(log, { provider: name })
    }),
    Effect.forkScoped
  )
  const circuit = Effect.map(Effect.orDie(breaker.state(name)), (state): Health.Circuit => {
    if (state._tag === "Closed") return { state: "closed", retryAfterMillis: 0 }
    return state._tag === "Open"
      ? { state: "open", retryAfterMillis: Duration.toMillis(state.retryAfter) }
      : { state: "half_open", retryAfterMillis: 0 }
  })
  return { breaker, circuit }
})

/** The failure that a status alone tells. Undefined if the answer speaks of the request. */
const failureOf = (
  { headers, provider, status }: Answer.Answer,
  keyRefused: ReadonlySet<number>,
  longestPauseMillis: number,
  now: number
): ProviderUnavailable | undefined => {
  if (status === 429) {
    const pause = Math.min(longestPauseMillis, RetryAfter.pauseOf(headers, now))
    return Answer.failed(provider, `HTTP 429, next request in ${seconds(pause)}`, { retryAfterMillis: pause })
  }
  if (status >= 500 || status === 408) {
    const pause = RetryAfter.retryAfter(headers["retry-after"], now)
    return Answer.failed(provider, `HTTP ${status}`, {
      // 503 speaks of the service, and any other may be due to the wallet or the token.
      ...(status === 503 ? {} : { blame: "subject" }),
      ...(pause === undefined ? {} : { retryAfterMillis: pause })
    })
  }
  if (keyRefused.has(status)) {
    return Answer.failed(provider, `HTTP ${status}, check the API key`, { isOutage: true })
  }
  return status >= 300 && status < 400
    ? Answer.failed(provider, `HTTP ${status}, redirects are not followed`)
    : undefined
}

/** Makes one HTTP exchange within the deadline, which begins once the request has a place. */
const makeExchange = Effect.fnUntraced(function* (options: Options) {
  const { baseUrl, deadline = DEFAULTS.deadline, headers = {}, name } = options
  const { keyRefused = DEFAULTS.keyRefused, maxBytes = DEFAULTS.maxBytes } = options
  const client = yield* HttpClient.HttpClient
  const inPlace = Places.make(name, options.budget, deadline)
  const longestPause = longestPauseOf(options)
  const timedOut = Answer.failed(name, `no answer within ${Duration.toMillis(Duration.fromInputUnsafe(deadline))} ms`, {
    blame: "subject",
    isOutage: true
  })

  return <A, E>(
    request: HttpClientRequest.HttpClientRequest,
    read: (answer: Answer.Answer) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | ProviderUnavailable> => {
    const ready = request.pipe(
      HttpClientRequest.prependUrl(baseUrl.replace(/\/+$/, "")),
      HttpClientRequest.acceptJson,
      HttpClientRequest.setHeaders(headers)
    )
    const received = Effect.gen(function* () {
      const response = yield* client.execute(ready)
      const body = yield* Answer.readBody(name, response, maxBytes)
      return { provider: name, status: response.status, headers: response.headers, body }
    }).pipe(
      Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
      Effect.catchTag("HttpClientError", (error) =>
        Effect.fail(Answer.failed(name, error.reason._tag, { isOutage: true }))
      )
    )
    return Effect.gen(function* () {
      const answer = yield* received
      const failure = failureOf(answer, keyRefused, longestPause, yield* Clock.currentTimeMillis)
      return yield* failure ?? read(answer)
    }).pipe(Effect.timeoutOrElse({ duration: deadline, orElse: () => Effect.fail(timedOut) }), inPlace)
  }
})

/** A provider that lives as long as the scope. It is listed for operators if there is a list ({@link Health.layer}). */
export const make = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<Provider, never, HttpClient.HttpClient | Scope.Scope> {
  const { name } = options
  const budget = yield* Budget.make(name, options.budget)
  const { breaker, circuit } = yield* makeCircuit(options)
  const exchange = yield* makeExchange(options)
  const states = yield* ProviderStates
  const longestPause = longestPauseOf(options)
  let counts = Health.NONE
  let pausedUntil = 0

  const waiting = (detail: string, retryAfterMillis?: number) =>
    new ProviderUnavailable({
      provider: name,
      detail,
      reason: "waiting",
      ...(retryAfterMillis === undefined ? {} : { retryAfterMillis })
    })

  const opened = (millis: number) => waiting(`failed repeatedly, next request in ${seconds(millis)}`, millis)

  const { mayProbe, outcomeOf } = Judgement.make(
    circuit,
    Duration.toMillis(Duration.fromInputUnsafe(options.toleratedFor ?? DEFAULTS.toleratedFor)),
    (left) => waiting(`failed before about the same, next request in ${seconds(left)}`, left)
  )

  const rejected = ({ reason }: CircuitBreaker.CircuitBreakerError) =>
    reason._tag === "CircuitOpen"
      ? opened(Duration.toMillis(reason.retryAfter))
      : waiting("failed before, and a request to see if it is back is under way")

  const unpaused = Effect.gen(function* () {
    const left = pausedUntil - (yield* Clock.currentTimeMillis)
    if (left > 0) return yield* waiting(`asked for a pause, next request in ${seconds(left)}`, left)
  })

  const ready = Effect.gen(function* () {
    yield* unpaused
    const { retryAfterMillis, state } = yield* circuit
    if (state === "open" && retryAfterMillis > 0) return yield* opened(retryAfterMillis)
  })

  const note = Effect.fnUntraced(function* (exit: Exit.Exit<unknown, unknown>) {
    const now = yield* Clock.currentTimeMillis
    if (Outcome.isAbandoned(exit)) {
      counts = Health.abandoned(counts)
      return
    }
    if (Outcome.outcomeOf(exit)._tag === "Success") counts = Health.succeeded(counts, now)
    const loss = Option.getOrUndefined(Outcome.lossOf(exit))
    if (loss === undefined) return
    counts = Health.failed(counts, loss.detail)
    if (loss.retryAfterMillis === undefined) return
    const pause = Math.min(longestPause, Math.max(0, loss.retryAfterMillis))
    pausedUntil = Math.max(pausedUntil, now + pause)
    yield* Effect.annotateLogs(Effect.logWarning("provider.paused"), { provider: name, forMillis: pause })
  })

  const ask = <A, E>(
    request: HttpClientRequest.HttpClientRequest,
    read: (answer: Answer.Answer) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | ProviderUnavailable> =>
    Effect.gen(function* () {
      yield* unpaused
      const subject = yield* Subject.Current
      const now = yield* Clock.currentTimeMillis
      yield* mayProbe(subject, now)
      const noted = budget.pipe(
        Effect.andThen(exchange(request, read)),
        Effect.onExit((exit) => note(exit))
      )
      return yield* breaker
        .execute(noted, { key: name, classify: outcomeOf(subject, now) })
        .pipe(
          Effect.mapError((error) => (error instanceof CircuitBreaker.CircuitBreakerError ? rejected(error) : error))
        )
    }).pipe(Outcome.counted(name))

  const state = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    return Health.stateOf(name, counts, yield* circuit, pausedUntil, now)
  })
  yield* states.register(state)

  return { name, ask, ready, unusable: (detail) => Answer.failed(name, detail), state }
})
