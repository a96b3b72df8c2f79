/**
 * Checks the operator's bearer token. Both sides are hashed before they are compared, so the time taken reveals nothing about
 * the token, not even its length. Without a configured token every request is refused.
 */
import { Effect, Layer, Redacted } from "effect"
import { Digest, Mac } from "effect/crypto"
import { HttpEffect, HttpServerResponse } from "effect/http"
import { Unauthorized } from "../../api/shared/Errors.ts"
import { OperatorOnly } from "../../api/shared/Middleware.ts"
import { ServerSettings } from "./ServerSettings.ts"

const encoder = new TextEncoder()

/** RFC 9110, section 11.6.1: a 401 names the accepted scheme. */
const challenge = HttpEffect.appendPreResponseHandler((_, response) =>
  Effect.succeed(HttpServerResponse.setHeader(response, "www-authenticate", "Bearer"))
)

/** Makes `isOperator(credential)`, which compares a bearer token with the admin token in constant time. */
export const make = Effect.gen(function* () {
  const { adminToken } = yield* ServerSettings
  const { digest } = yield* Digest.Digest
  const hash = (token: Redacted.Redacted) => digest(Digest.sha256, encoder.encode(Redacted.value(token)))
  // An absent header reads as an empty credential, so an empty token must not match it.
  const expected = adminToken === undefined || Redacted.value(adminToken) === "" ? undefined : yield* hash(adminToken)

  return Effect.fnUntraced(function* (credential: Redacted.Redacted) {
    const given = yield* hash(credential)
    return expected !== undefined && Mac.timingSafeEqual(given, expected)
  })
}).pipe(Effect.provide(Digest.layerWebCrypto))

export const layer = Layer.effect(
  OperatorOnly,
  Effect.gen(function* () {
    const isOperator = yield* make

    return OperatorOnly.of({
      operatorToken: Effect.fnUntraced(function* (handler, { credential }) {
        if (!(yield* isOperator(credential))) {
          yield* challenge
          return yield* new Unauthorized()
        }
        return yield* handler
      })
    })
  })
)
