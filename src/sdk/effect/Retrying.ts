/** Retries and idempotency keys of the Effect client. `core/Retry.ts` decides; this module waits. */
import { Context, Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { isUnanswered, pauseBeforeRetry, type RequestFailure, type RetryOptions } from "../core/Retry.ts"
import { KEY_IN_USE_SECONDS } from "../model/ApiErrors.ts"

/** An error of the contract's client. */
export interface TaggedFailure {
  readonly _tag: string
  readonly retryAfterSeconds?: number
}

/** Status of the contract's errors after which a retry may succeed. */
const STATUS: Readonly<Record<string, number>> = {
  RateLimitExceeded: 429,
  InternalError: 500,
  UpstreamFailed: 502,
  SweepPostponed: 503,
  Unavailable: 503,
  ChainNotAnswering: 503
}

/** Status of the errors after which a retry may succeed only if they name a pause. */
const PASSING: Readonly<Record<string, number>> = { Refused: 400, ScreeningRefused: 403, Unprocessable: 422 }

/** Describes an error to the retry policy. Returns undefined for one after which a retry cannot succeed. */
export const failureOf = (error: TaggedFailure): RequestFailure | undefined => {
  if (HttpClientError.isHttpClientError(error)) return { status: error.response?.status }
  // The contract's client does not hand over the `Retry-After` of this error.
  if (error._tag === "IdempotencyKeyInUse") return { status: 409, retryAfterSeconds: KEY_IN_USE_SECONDS }
  // Sanctions screening did not answer, or a budget is spent.
  const passing = error.retryAfterSeconds === undefined ? undefined : PASSING[error._tag]
  const status = passing ?? STATUS[error._tag]
  return status === undefined ? undefined : { status, retryAfterSeconds: error.retryAfterSeconds }
}

/** True if the service may have stored the request, or may still store it: a request under the same key is in progress. */
const isUnknown = (error: TaggedFailure, failure: RequestFailure | undefined): boolean =>
  error._tag === "IdempotencyKeyInUse" ||
  // A postponed sweep is not stored.
  (isUnanswered(failure) && error._tag !== "SweepPostponed")

/** The failure of the last attempt at a request. */
export interface LastFailure<E> {
  readonly error: E
  /** True if it is unknown what the service did after an earlier attempt. */
  readonly wasUnknown: boolean
}

/** Sends a request until it succeeds. Fails with the last error if a retry is pointless or the attempts are used up. */
export const withRetries =
  (options?: RetryOptions) =>
  <A, E extends TaggedFailure, R>(send: Effect.Effect<A, E, R>): Effect.Effect<A, LastFailure<E>, R> => {
    const attempt = (sent: number, wasUnknown: boolean): Effect.Effect<A, LastFailure<E>, R> =>
      Effect.catch(send, (error) => {
        const failure = failureOf(error)
        const pause = pauseBeforeRetry(failure, sent, options)
        return pause === undefined
          ? Effect.fail({ error, wasUnknown })
          : Effect.andThen(Effect.sleep(pause), attempt(sent + 1, wasUnknown || isUnknown(error, failure)))
      })
    return attempt(1, false)
  }

/** Time for the whole response to one attempt, in milliseconds. */
const ANSWER_MILLIS = 30_000

/** Fails like a lost response if the whole response does not arrive in time. */
export const inTime =
  (request: HttpClientRequest.HttpClientRequest) =>
  <A, E, R>(answer: Effect.Effect<A, E, R>): Effect.Effect<A, E | HttpClientError.HttpClientError, R> =>
    Effect.timeoutOrElse(answer, {
      duration: ANSWER_MILLIS,
      orElse: () =>
        Effect.fail(
          new HttpClientError.HttpClientError({
            reason: new HttpClientError.TransportError({ request, description: `no response in ${ANSWER_MILLIS} ms` })
          })
        )
    })

const CurrentKey = Context.Reference<string | undefined>("sweep/sdk/IdempotencyKey", { defaultValue: () => undefined })

/** Adds the `Idempotency-Key` to every request that is sent within {@link underOneKey}. */
export const sendKeys = HttpClient.mapRequestEffect((request) =>
  Effect.map(CurrentKey, (key) =>
    key === undefined ? request : HttpClientRequest.setHeader(request, "idempotency-key", key)
  )
)

/** Sends every request of an effect under the same key. Default: a random key. */
export const underOneKey = Effect.fnUntraced(function* <A, E, R>(request: Effect.Effect<A, E, R>, given?: string) {
  const { uuidV4 } = yield* SecureRandom.SecureRandom
  const key = given ?? (yield* uuidV4())
  return yield* Effect.provideService(request, CurrentKey, key)
}, Effect.provide(SecureRandom.layerWebCrypto))
