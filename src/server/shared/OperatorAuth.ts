/**
 * Checks the operator's bearer token. Both sides are hashed before they are compared, so the time taken reveals nothing about
 * the token, not even its length. Without a configured token every request is refused.
 */
import { Clock, Effect, Layer, Redacted } from "effect"
import { Digest, Mac } from "effect/crypto"
import { HttpEffect, HttpServerResponse } from "effect/http"
import { Unauthorized } from "../../api/shared/Errors.ts"
import { OperatorOnly } from "../../api/shared/Middleware.ts"
import { continued } from "./ContinuedTrace.ts"
import { ServerSettings } from "./ServerSettings.ts"
import * as WrongTokens from "./WrongTokens.ts"

const encoder = new TextEncoder()

/** RFC 9110, section 11.6.1: a 401 names the accepted scheme. */
const challenge = HttpEffect.appendPreResponseHandler((_, response) =>
  Effect.succeed(HttpServerResponse.setHeader(response, "www-authenticate", "Bearer"))
)

/** The configured token, if any. An absent header reads as an empty credential, so an empty token must not match it. */
const configuredToken = Effect.map(ServerSettings, ({ adminToken }) =>
  adminToken === undefined || Redacted.value(adminToken) === "" ? undefined : adminToken
)

/** Makes `isRight(credential)`, which compares a bearer token with the given one in constant time. */
export const comparing = Effect.fnUntraced(function* (token: Redacted.Redacted | undefined) {
  const { digest } = yield* Digest.Digest
  const hash = (each: Redacted.Redacted) => digest(Digest.sha256, encoder.encode(Redacted.value(each)))
  const expected = token === undefined ? undefined : yield* hash(token)

  return Effect.fnUntraced(function* (credential: Redacted.Redacted) {
    const given = yield* hash(credential)
    return expected !== undefined && Mac.timingSafeEqual(given, expected)
  })
}, Effect.provide(Digest.layerWebCrypto))

/**
 * Makes `isOperator(credential)`, which compares a bearer token with the admin token and the former ones that have not ended, each in
 * constant time.
 */
const makeIsOperator = Effect.gen(function* () {
  const current = yield* configuredToken
  if (current === undefined) return yield* comparing(undefined)
  const isCurrent = yield* comparing(current)
  const former = yield* Effect.forEach((yield* ServerSettings).formerAdminTokens, ({ token, untilMs }) =>
    Effect.map(comparing(token), (isRight) => ({ isRight, untilMs: untilMs ?? Number.POSITIVE_INFINITY }))
  )

  return Effect.fnUntraced(function* (credential: Redacted.Redacted) {
    const nowMs = yield* Clock.currentTimeMillis
    let isRight = yield* isCurrent(credential)
    for (const each of former) isRight = ((yield* each.isRight(credential)) && nowMs < each.untilMs) || isRight
    return isRight
  })
})

/**
 * Makes `admit(credential)`, which succeeds for the operator's token, and fails with `Unauthorized` for another one. A client that has
 * used up its guesses is refused with `RateLimitExceeded`, so nothing else may tell a right token from a wrong one.
 */
export const makeAdmit = Effect.gen(function* () {
  const isOperator = yield* makeIsOperator
  const judge = yield* WrongTokens.make
  const isClosed = (yield* configuredToken) === undefined

  /** Without a credential, or a token to guess, nothing is guessed. */
  return (credential: Redacted.Redacted) =>
    isClosed || Redacted.value(credential) === ""
      ? Effect.fail(new Unauthorized())
      : Effect.flatMap(isOperator(credential), judge)
})

export const layer = Layer.effect(
  OperatorOnly,
  Effect.gen(function* () {
    const admit = yield* makeAdmit

    return OperatorOnly.of({
      operatorToken: Effect.fnUntraced(function* (handler, { credential }) {
        yield* Effect.catchTag(admit(credential), "Unauthorized", (refused) =>
          Effect.andThen(challenge, Effect.fail(refused))
        )
        return yield* continued(handler)
      })
    })
  })
)
