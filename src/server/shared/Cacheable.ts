/** Responses that change only with the configuration: made once, and revalidated by their ETag (RFC 9110, section 13.1.2). */
import { Effect, Schema } from "effect"
import { Digest } from "effect/crypto"
import { Headers, HttpServerRequest, HttpServerResponse } from "effect/http"

/** Default age in seconds up to which the response is fresh. */
const MAX_AGE = 300

const encoder = new TextEncoder()

/** Weak comparison: replicas may format the same content differently. */
const matches = (header: string | undefined, etag: string): boolean =>
  header !== undefined && (header.trim() === "*" || header.split(",").some((tag) => tag.trim() === etag))

/** Shared caches may store the response, because it is the same for everybody. */
const cacheControl = (maxAge: number): string => `public, max-age=${maxAge}`

/** Headers of the body, which a response without one does not have. */
const OF_BODY = ["content-type", "content-length"]

/** Answers a request with a whole response, or with 304. */
export type Revalidated = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest
>

/**
 * Makes the response to every request for `whole`. The ETag is the hash of `identity`, which must change whenever clients should
 * read the response again. The response is fresh for `maxAge` seconds. Default: five minutes.
 */
export const revalidated = (
  whole: HttpServerResponse.HttpServerResponse,
  identity: Uint8Array,
  maxAge = MAX_AGE
): Effect.Effect<Revalidated> =>
  Effect.gen(function* () {
    const { digestHex } = yield* Digest.Digest
    const etag = `W/"${(yield* digestHex(Digest.sha256, identity)).slice(0, 32)}"`
    const fresh = HttpServerResponse.setHeaders(whole, { "cache-control": cacheControl(maxAge), etag })
    // Caches replace the stored headers by those of a 304, so it has all of them, such as the content security policy.
    const unchanged = HttpServerResponse.empty({ status: 304, headers: Headers.removeMany(fresh.headers, OF_BODY) })
    return Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
      matches(request.headers["if-none-match"], etag) ? unchanged : fresh
    )
  }).pipe(Effect.provide(Digest.layerWebCrypto))

/**
 * Makes the response to every request for `value`, as JSON. `identity` is hashed for the ETag. Default: the value. The response is
 * fresh for `maxAge` seconds. Default: five minutes.
 */
export const make = <A, I>(
  schema: Schema.Codec<A, I>,
  value: A,
  { identity = value, maxAge = MAX_AGE }: { readonly identity?: unknown; readonly maxAge?: number } = {}
) =>
  Effect.gen(function* () {
    const body = JSON.stringify(yield* Schema.encodeEffect(schema)(value).pipe(Effect.orDie))
    const whole = HttpServerResponse.text(body, { contentType: "application/json" })
    return yield* revalidated(whole, encoder.encode(JSON.stringify(identity)), maxAge)
  })
