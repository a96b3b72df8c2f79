/**
 * `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): a client that got no answer sends the request again, and
 * gets the answer of the first time. Keys are chosen by clients, cannot be told by others, and count for one route.
 */
import { Effect } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { type HttpBody, HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { IdempotencyKeyInUse, IdempotencyKeyReused, ValidationFailed } from "../../api/shared/Errors.ts"
import { Idempotency, type StoredAnswer } from "../../ports/shared/Idempotency.ts"
import * as JsonBody from "./JsonBody.ts"
import { ServerSettings } from "./ServerSettings.ts"

const HEADER = "idempotency-key"

/** Tells that the answer is the one of an earlier request. */
const REPLAYED = "idempotent-replayed"

const LIFETIME_MILLIS = 24 * 3_600_000

/** How long the key of a process that died stays taken. Processes that live extend it while they execute. */
const LEASE_MILLIS = 30_000

const IN_USE_RETRY_SECONDS = "1"

const VALID = /^[\x20-\x7e]{1,255}$/

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The draft makes the key a structured-field string, in quotes; most clients send it bare. Both name the same key. */
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

/** Kept are answers that say what became of the request: neither 5xx nor that the client left (499). */
const CLIENT_CLOSED_REQUEST = 499

const answerOf = ({ body, status }: HttpServerResponse.HttpServerResponse): StoredAnswer | undefined => {
  const text = textOf(body)
  return text === undefined || status >= CLIENT_CLOSED_REQUEST ? undefined : { status, body: text }
}

const replay = ({ body, status }: StoredAnswer) =>
  HttpServerResponse.text(body, { status, contentType: "application/json", headers: { [REPLAYED]: "true" } })

const askAgainSoon = HttpEffect.appendPreResponseHandler((_, response) =>
  Effect.succeed(HttpServerResponse.setHeader(response, "retry-after", IN_USE_RETRY_SECONDS))
)

/** What the handler of a keyed request is told. */
export interface Keyed {
  readonly body: string
  /** An earlier attempt at this very request may have succeeded without anybody having learned it. */
  readonly resumed: boolean
}

/**
 * Wraps the handler of a route. A request without a key is just handled; it fails with `StoreUnavailable` when keys cannot be
 * looked up, since executing anyway could execute twice.
 */
export const make = Effect.gen(function* () {
  const idempotency = yield* Idempotency
  const { digestHex } = yield* Digest.Digest
  const { uuidV4 } = yield* SecureRandom.SecureRandom
  const { maxBodyBytes } = yield* ServerSettings

  const hash = (text: string) => digestHex(Digest.sha256, encoder.encode(text))

  return <A, E, R>(route: string, handle: (keyed: Keyed) => Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const body = yield* JsonBody.text(maxBodyBytes)
      const header = request.headers[HEADER]
      if (header === undefined) return yield* handle({ body, resumed: false })

      const attempt = { id: yield* hash(`${route}\n${yield* parseKey(header)}`), attempt: yield* uuidV4() }
      const claim = yield* idempotency.claim({
        ...attempt,
        fingerprint: yield* hash(body),
        leaseMillis: LEASE_MILLIS,
        lifetimeMillis: LIFETIME_MILLIS
      })
      switch (claim._tag) {
        case "Mismatched":
          return yield* new IdempotencyKeyReused()
        case "InProgress":
          yield* askAgainSoon
          return yield* new IdempotencyKeyInUse()
        case "Answered":
          return replay(claim.answer)
        case "Claimed": {
          const unsettled = Effect.catch((error: { readonly message: string }) => Effect.logWarning(error.message))
          // Runs on the answer as it leaves, whatever made it: the handler, its failure, or a defect.
          yield* HttpEffect.appendPreResponseHandler((_, response) => {
            const answer = answerOf(response)
            const settled = answer === undefined ? idempotency.release(attempt) : idempotency.complete(attempt, answer)
            return Effect.as(unsettled(settled), response)
          })
          const keepAlive = idempotency
            .extend(attempt, LEASE_MILLIS)
            .pipe(unsettled, Effect.delay(LEASE_MILLIS / 3), Effect.forever)
          return yield* Effect.raceFirst(handle({ body, resumed: claim.resumed }), keepAlive)
        }
      }
    })
}).pipe(Effect.provide([Digest.layerWebCrypto, SecureRandom.layerWebCrypto]))
