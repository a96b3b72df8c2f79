/**
 * Assertions of a single sign-on gateway such as Cloudflare Access or Google's Identity-Aware Proxy: a JWT that it adds to
 * each request it lets through, signed with a key of its JWKS. Keys are fetched when first needed and again when unknown.
 */
import { Effect, Layer } from "effect"
import { createRemoteJWKSet, jwtVerify, type JWTVerifyGetKey } from "jose"
import { AssertionRejected, OperatorAssertions } from "../../ports/builder/OperatorAssertions.ts"

export interface Gateway {
  readonly jwksUrl: URL
  readonly issuer: string
  /** Identifies this console to the gateway; an assertion for another application is refused. */
  readonly audience: string
}

/** Signatures by public key alone: a gateway's assertion is never a shared secret's. */
const ALGORITHMS = ["RS256", "PS256", "ES256", "ES384", "EdDSA"]

/** How far the gateway's clock may be off. */
const CLOCK_TOLERANCE = "30s"

const claim = (payload: Readonly<Record<string, unknown>>, name: string): string | undefined => {
  const value = payload[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

export const layerWithKeys = (gateway: Omit<Gateway, "jwksUrl">, keys: JWTVerifyGetKey) =>
  Layer.succeed(OperatorAssertions, {
    verify: Effect.fn("GatewayAssertions.verify")(function* (assertion) {
      const { payload } = yield* Effect.tryPromise({
        try: () =>
          jwtVerify(assertion, keys, {
            issuer: gateway.issuer,
            audience: gateway.audience,
            algorithms: ALGORITHMS,
            clockTolerance: CLOCK_TOLERANCE,
            requiredClaims: ["exp"]
          }),
        catch: (error) => new AssertionRejected({ detail: error instanceof Error ? error.message : String(error) })
      })
      const operator = claim(payload, "email") ?? claim(payload, "sub")
      if (operator === undefined) return yield* new AssertionRejected({ detail: "it names nobody" })
      return { operator }
    })
  })

export const layer = (gateway: Gateway) =>
  layerWithKeys(gateway, createRemoteJWKSet(gateway.jwksUrl, { timeoutDuration: 5_000, cooldownDuration: 10_000 }))

/** Where no gateway is configured, nobody comes through it. */
export const disabled = Layer.succeed(OperatorAssertions, {
  verify: () => Effect.fail(new AssertionRejected({ detail: "no gateway is configured" }))
})
