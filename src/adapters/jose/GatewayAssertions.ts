/**
 * Verifies assertions of a single sign-on gateway such as Cloudflare Access or Google's Identity-Aware Proxy. An assertion is
 * a JWT that the gateway adds to each request, signed with a key of its JWKS. Keys are fetched when first needed, and again
 * for an unknown key id.
 */
import { Effect, Layer } from "effect"
import { createRemoteJWKSet, jwtVerify, type JWTVerifyGetKey } from "jose"
import { AssertionRejected, OperatorAssertions } from "../../ports/builder/OperatorAssertions.ts"

export interface Gateway {
  readonly jwksUrl: URL
  readonly issuer: string
  /** Audience that identifies this console. Assertions for other applications are rejected. */
  readonly audience: string
}

/** Accepts asymmetric signatures only. A gateway never signs with a shared secret. */
const ALGORITHMS = ["RS256", "PS256", "ES256", "ES384", "EdDSA"]

/** Maximum difference from the gateway's clock. */
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
      if (operator === undefined) return yield* new AssertionRejected({ detail: "it has no subject or email" })
      return { operator }
    })
  })

export const layer = (gateway: Gateway) =>
  layerWithKeys(gateway, createRemoteJWKSet(gateway.jwksUrl, { timeoutDuration: 5_000, cooldownDuration: 10_000 }))

/** Rejects every assertion, because no gateway is configured. */
export const disabled = Layer.succeed(OperatorAssertions, {
  verify: () => Effect.fail(new AssertionRejected({ detail: "no gateway is configured" }))
})
