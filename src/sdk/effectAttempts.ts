/** What the Effect API does about trouble that passes, as `attempts.ts` does it for the Promise client. */
import { Context, Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { DEFAULT_RETRY, LONGEST_WAIT_MILLIS, type RetryOptions } from "./attempts.ts"

interface Trouble {
  readonly _tag: string
  readonly retryAfterSeconds?: number
}

/** The pause that the service asks for in `Retry-After`, which the contract's client does not hand over for this error. */
const KEY_IN_USE_MILLIS = 1_000

const PASSING = ["Unavailable", "InternalError", "UpstreamFailed"]

/** How long to wait after a failure that may pass: as long as it says, else `pause`. Undefined for one that will not pass. */
export const patience = (error: Trouble, pause: number): number | undefined => {
  if (error.retryAfterSeconds !== undefined) return error.retryAfterSeconds * 1000
  if (error._tag === "IdempotencyKeyInUse") return KEY_IN_USE_MILLIS
  if (HttpClientError.isHttpClientError(error)) {
    const status = error.response?.status
    return status === undefined || status >= 500 ? pause : undefined
  }
  return PASSING.includes(error._tag) ? pause : undefined
}

/** Asks until there is an answer that counts; fails with the last failure when the attempts are used up. */
export const persistently =
  ({ attempts = DEFAULT_RETRY.attempts, pauseMillis = DEFAULT_RETRY.pauseMillis }: RetryOptions = {}) =>
  <A, E extends Trouble, R>(ask: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const attempt = (number: number): Effect.Effect<A, E, R> =>
      ask.pipe(
        Effect.catch((error) => {
          const wait = patience(error, pauseMillis * 2 ** (number - 1))
          return wait === undefined || wait > LONGEST_WAIT_MILLIS || number >= attempts
            ? Effect.fail(error)
            : Effect.andThen(Effect.sleep(wait), attempt(number + 1))
        })
      )
    return attempt(1)
  }

const CurrentKey = Context.Reference<string | undefined>("sweep/sdk/IdempotencyKey", { defaultValue: () => undefined })

/** The `Idempotency-Key` of every request that is sent within {@link underOneKey}. */
export const sendKeys = HttpClient.mapRequestEffect((request) =>
  Effect.map(CurrentKey, (key) =>
    key === undefined ? request : HttpClientRequest.setHeader(request, "idempotency-key", key)
  )
)

/** Makes every request within the effect one of the same key: a random one unless given. */
export const underOneKey = Effect.fnUntraced(function* <A, E, R>(request: Effect.Effect<A, E, R>, given?: string) {
  const { uuidV4 } = yield* SecureRandom.SecureRandom
  const key = given ?? (yield* uuidV4())
  return yield* Effect.provideService(request, CurrentKey, key)
}, Effect.provide(SecureRandom.layerWebCrypto))
