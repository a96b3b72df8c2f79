/**
 * `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): a client that received no response repeats the request under
 * the same key and receives the first response. Clients choose the keys, which must not be guessable. A key holds for one
 * route.
 */
import { Effect, Fiber, Layer } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { type HttpBody, HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { IdempotencyKeyInUse, IdempotencyKeyReused, Unavailable, ValidationFailed } from "../../api/shared/Errors.ts"
import { Attempt, IdempotentQuote, IdempotentSubmission } from "../../api/shared/Middleware.ts"
import { Idempotency, type StoredAnswer } from "../../ports/shared/Idempotency.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as JsonBody from "./JsonBody.ts"
import { mask } from "./Masked.ts"

const HEADER = "idempotency-key"

/** Marks a response as that of an earlier request. */
const REPLAYED = "idempotent-replayed"

const REASON = "sweep-reason"

/** Times for which a response is kept, in milliseconds. A quote expires within minutes, and anybody can have large ones stored. */
const LIFETIME_MILLIS = { quote: 3_600_000, submission: 24 * 3_600_000 }

/** A key stays taken this long after its process died. A live process extends the lease while it executes. */
const LEASE_MILLIS = 30_000

const IN_USE_RETRY_SECONDS = "1"

/** A response waits at most this long until it is stored. */
const STORE_LIMIT = "500 millis"

/** Stores a response, and returns when that is done or takes too long. In that case it goes on in the background. */
const storedSoon = (store: Effect.Effect<void>) =>
  Effect.flatMap(Effect.forkDetach(store), (fiber) => Effect.timeoutOption(Fiber.join(fiber), STORE_LIMIT))

const VALID = /^[\x20-\x7e]{1,255}$/

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The draft defines the key as a quoted structured-field string, but most clients send it bare. Both name the same key. */
const unquoted = (header: string): string => {
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header)?.[1]
  return quoted === undefined ? header : quoted.replaceAll(/\\(["\\])/g, "$1")
}

const parseKey = Effect.fnUntraced(function* (header: string) {
  const key = unquoted(header.trim())
  return VALID.test(key)
    ? key
    : yield* new ValidationFailed({ error: `${HEADER}: expected 1 to 255 printable ASCII characters` })
})

const textOf = (body: HttpBody.HttpBody): string | undefined =>
  body._tag === "Uint8Array" ? (body.text ?? decoder.decode(body.body)) : undefined

const CLIENT_CLOSED_REQUEST = 499

const FIRST_FAILURE = 400

/** Maximum size in bytes of a stored failure. */
const MAX_FAILURE_BYTES = 65_536

/**
 * Gives the response to store. A response is stored if it settles the request: neither 5xx nor 499, which means that the client left,
 * nor one to retry. A success is stored at any size, because the request must not be executed again. A failure has no effect, so a
 * large one is not stored, and the key is free again.
 */
export const answerOf = ({
  body,
  headers,
  status
}: HttpServerResponse.HttpServerResponse): StoredAnswer | undefined => {
  const text = textOf(body)
  const isSettled = status < CLIENT_CLOSED_REQUEST && headers["retry-after"] === undefined
  if (text === undefined || !isSettled) return undefined
  if (status >= FIRST_FAILURE && encoder.encode(text).byteLength > MAX_FAILURE_BYTES) return undefined
  const sweepReason = headers[REASON]
  return { status, body: text, ...(sweepReason === undefined ? {} : { sweepReason }) }
}

const replay = ({ body, status, sweepReason }: StoredAnswer) =>
  HttpServerResponse.text(body, {
    status,
    contentType: "application/json",
    headers: { [REPLAYED]: "true", ...(sweepReason === undefined ? {} : { [REASON]: sweepReason }) }
  })

const askAgainSoon = HttpEffect.appendPreResponseHandler((_, response) =>
  Effect.succeed(HttpServerResponse.setHeader(response, "retry-after", IN_USE_RETRY_SECONDS))
)

const warn = Effect.catch((error: { readonly message: string }) => Effect.logWarning(error.message))

const FIRST = { resumed: false }

type Handler<E> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, Attempt>

/**
 * Makes the middleware of a route. A request without a key is executed as it is. A key that cannot be looked up fails with
 * `unavailable`, because executing anyway could execute twice.
 */
const make = Effect.fnUntraced(function* <Unknown>(
  lifetimeMillis: number,
  unavailable: (failure: StoreUnavailable) => Effect.Effect<never, Unknown>
) {
  const idempotency = yield* Idempotency
  const { digestHex } = yield* Digest.Digest
  const { uuidV4 } = yield* SecureRandom.SecureRandom
  const bodyOf = yield* JsonBody.text

  const hash = (text: string) => digestHex(Digest.sha256, encoder.encode(text))

  return <E>(handler: Handler<E>, { endpoint }: { readonly endpoint: HttpApiEndpoint.Top }) => {
    // The fingerprint covers the text that the client sent: another spelling of the same JSON is another request.
    const readBody = bodyOf(endpoint)
    const unkeyed = Effect.provideService(handler, Attempt, FIRST)

    const keyed = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, header: string) {
      const body = yield* readBody(request)
      const id = yield* hash(`${endpoint.method} ${endpoint.path}\n${yield* parseKey(header)}`)
      const attempt = { id, attempt: yield* uuidV4() }
      const claim = yield* idempotency
        .claim({
          ...attempt,
          fingerprint: yield* hash(body),
          leaseMillis: LEASE_MILLIS,
          lifetimeMillis
        })
        .pipe(Effect.catchTag("StoreUnavailable", unavailable))
      switch (claim._tag) {
        case "Mismatched":
          return yield* new IdempotencyKeyReused()
        case "InProgress":
          yield* askAgainSoon
          return yield* new IdempotencyKeyInUse()
        case "Answered":
          return replay(claim.answer)
        case "Claimed": {
          // Runs on the outgoing response, whether the handler, its failure or a defect made it.
          yield* HttpEffect.appendPreResponseHandler((_, response) => {
            const answer = answerOf(response)
            const settled = answer === undefined ? idempotency.release(attempt) : idempotency.complete(attempt, answer)
            return Effect.as(storedSoon(warn(settled)), response)
          })
          const keepAlive = idempotency
            .extend(attempt, LEASE_MILLIS)
            .pipe(warn, Effect.delay(LEASE_MILLIS / 3), Effect.forever)
          return yield* Effect.raceFirst(handler, keepAlive).pipe(
            Effect.provideService(JsonBody.BodyText, body),
            Effect.provideService(Attempt, { resumed: claim.resumed })
          )
        }
      }
    })

    return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const header = request.headers[HEADER]
      return header === undefined ? unkeyed : keyed(request, header)
    })
  }
})

const unavailable = mask(() => new Unavailable())

export const layer = Layer.mergeAll(
  Layer.effect(IdempotentQuote, make(LIFETIME_MILLIS.quote, unavailable)),
  Layer.effect(IdempotentSubmission, make(LIFETIME_MILLIS.submission, unavailable))
).pipe(Layer.provide([Digest.layerWebCrypto, SecureRandom.layerWebCrypto]))
