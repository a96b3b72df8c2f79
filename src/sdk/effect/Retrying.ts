/** Retries and idempotency keys of the Effect client. `core/Retry.ts` decides; this module waits. */
import { Context, Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { pauseBeforeRetry, type RequestFailure, type RetryOptions } from "../core/Retry.ts"
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

/** Errors after which a retry may succeed only if they name a pause. */
const UNANSWERED: ReadonlySet<string> = new Set(["ScreeningRefused", "Refused", "Unprocessable"])

/** Describes an error to the retry policy. Returns undefined for one after which a retry cannot succeed. */
export const failureOf = (error: TaggedFailure): RequestFailure | undefined => {
  if (HttpClientError.isHttpClientError(error)) return { status: error.response?.status }
  // The contract's client does not hand over the `Retry-After` of this error.
  if (error._tag === "IdempotencyKeyInUse") return { status: 409, retryAfterSeconds: KEY_IN_USE_SECONDS }
  // Sanctions screening did not answer, or a budget is spent.
  if (UNANSWERED.has(error._tag) && error.retryAfterSeconds !== undefined) {
    return { status: undefined, retryAfterSeconds: error.retryAfterSeconds }
  }
  const status = STATUS[error._tag]
  return status === undefined ? undefined : { status, retryAfterSeconds: error.retryAfterSeconds }
}

/** Sends a request until it succeeds. Fails with the last error if a retry is pointless or the attempts are used up. */
export const withRetries =
  (options?: RetryOptions) =>
  <A, E extends TaggedFailure, R>(send: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const attempt = (sent: number): Effect.Effect<A, E, R> =>
      Effect.catch(send, (error) => {
        const pause = pauseBeforeRetry(failureOf(error), sent, options)
        return pause === undefined ? Effect.fail(error) : Effect.andThen(Effect.sleep(pause), attempt(sent + 1))
      })
    return attempt(1)
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
