/** Responses that change only with the configuration: made once, and revalidated by their ETag (RFC 9110, section 13.1.2). */
import { Effect, Schema } from "effect"
import { Digest } from "effect/crypto"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

/** Fresh for five minutes. Shared caches may store the response, because it is the same for everybody. */
const CACHE_CONTROL = "public, max-age=300"

const encoder = new TextEncoder()

/** Weak comparison: replicas may format the same content differently. */
const matches = (header: string | undefined, etag: string): boolean =>
  header !== undefined && (header.trim() === "*" || header.split(",").some((tag) => tag.trim() === etag))

/**
 * Makes the response to every request for `value`. The ETag is the hash of `identity`, which must change whenever clients
 * should read the value again.
 */
export const make = <A, I>(schema: Schema.Codec<A, I>, value: A, identity: unknown = value) =>
  Effect.gen(function* () {
    const { digestHex } = yield* Digest.Digest
    const body = JSON.stringify(yield* Schema.encodeEffect(schema)(value).pipe(Effect.orDie))
    const etag = `W/"${(yield* digestHex(Digest.sha256, encoder.encode(JSON.stringify(identity)))).slice(0, 32)}"`
    const headers = { "cache-control": CACHE_CONTROL, etag }
    const whole = HttpServerResponse.text(body, { contentType: "application/json", headers })
    const unchanged = HttpServerResponse.empty({ status: 304, headers })
    return Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
      matches(request.headers["if-none-match"], etag) ? unchanged : whole
    )
  }).pipe(Effect.provide(Digest.layerWebCrypto))
