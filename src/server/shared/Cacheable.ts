/** Responses that change only with the configuration: made once, and revalidated by their ETag (RFC 9110, section 13.1.2). */
import { Effect, Schema } from "effect"
import { Digest } from "effect/crypto"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

/** Default age in seconds up to which the response is fresh. */
const MAX_AGE = 300

const encoder = new TextEncoder()

/** Weak comparison: replicas may format the same content differently. */
const matches = (header: string | undefined, etag: string): boolean =>
  header !== undefined && (header.trim() === "*" || header.split(",").some((tag) => tag.trim() === etag))

/**
 * Makes the response to every request for `value`. The ETag is the hash of `identity`, which must change whenever clients
 * should read the value again. Default: the value. The response is fresh for `maxAge` seconds. Default: five minutes.
 */
export const make = <A, I>(
  schema: Schema.Codec<A, I>,
  value: A,
  { identity = value, maxAge = MAX_AGE }: { readonly identity?: unknown; readonly maxAge?: number } = {}
) =>
  Effect.gen(function* () {
    const { digestHex } = yield* Digest.Digest
    const body = JSON.stringify(yield* Schema.encodeEffect(schema)(value).pipe(Effect.orDie))
    const etag = `W/"${(yield* digestHex(Digest.sha256, encoder.encode(JSON.stringify(identity)))).slice(0, 32)}"`
    const headers = {
      // Shared caches may store the response, because it is the same for everybody.
      "cache-control": `public, max-age=${maxAge}`,
      etag
    }
    const whole = HttpServerResponse.text(body, { contentType: "application/json", headers })
    const unchanged = HttpServerResponse.empty({ status: 304, headers })
    return Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
      matches(request.headers["if-none-match"], etag) ? unchanged : whole
    )
  }).pipe(Effect.provide(Digest.layerWebCrypto))
