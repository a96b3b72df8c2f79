/** Contract of every {@link OperatorAssertions}. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { exportJWK, generateKeyPair, SignJWT } from "jose"
import { OperatorAssertions } from "../../../src/ports/builder/OperatorAssertions.ts"

export const ISSUER = "https://gateway.example.com"
export const AUDIENCE = "the-console"

const keys = await generateKeyPair("ES256")
const strangersKeys = await generateKeyPair("ES256")

/** Public keys of the gateway (RFC 7517). */
export const jwks = { keys: [{ ...(await exportJWK(keys.publicKey)), kid: "1", alg: "ES256" }] }

interface Claims {
  readonly issuer?: string
  readonly audience?: string
  /** Default: in a minute. Null: never. */
  readonly expires?: string | null
  readonly email?: unknown
  readonly subject?: string
  readonly key?: CryptoKey
  readonly keyId?: string
}

const assertion = ({ audience, email, expires, issuer, key, keyId, subject }: Claims = {}) =>
  Effect.promise(() => {
    const token = new SignJWT(email === undefined ? {} : { email })
      .setProtectedHeader({ alg: "ES256", kid: keyId ?? "1" })
      .setIssuer(issuer ?? ISSUER)
      .setAudience(audience ?? AUDIENCE)
    if (subject !== undefined) token.setSubject(subject)
    if (expires !== null) token.setExpirationTime(expires ?? "1m")
    return token.sign(key ?? keys.privateKey)
  })

/** The layer checks assertions of {@link ISSUER} for {@link AUDIENCE} by {@link jwks}. */
export const operatorAssertionsSuite = (name: string, environment: Layer.Layer<OperatorAssertions>): void =>
  layer(environment)(`OperatorAssertions by ${name}`, (it) => {
    it.effect("names the operator by email, else by subject", () =>
      Effect.gen(function* () {
        const { verify } = yield* OperatorAssertions
        const both = yield* assertion({ email: "ada@example.com", subject: "42" })
        assert.deepStrictEqual(yield* verify(both), { operator: "ada@example.com" })
        assert.deepStrictEqual(yield* verify(yield* assertion({ subject: "42" })), { operator: "42" })
      })
    )

    it.effect("rejects every assertion that the gateway did not make for this console and this time", () =>
      Effect.gen(function* () {
        const { verify } = yield* OperatorAssertions
        const subject = "42"
        const good = yield* assertion({ subject })
        const [header, payload, signature] = good.split(".")
        const unsigned = btoa('{"alg":"none"}').replaceAll("=", "")
        const rejected = {
          nothing: "",
          "no token": "x.y.z",
          "another issuer": yield* assertion({ subject, issuer: "https://other.example.com" }),
          "another audience": yield* assertion({ subject, audience: "another-app" }),
          expired: yield* assertion({ subject, expires: "-2m" }),
          "without an end": yield* assertion({ subject, expires: null }),
          "another key": yield* assertion({ subject, key: strangersKeys.privateKey }),
          "an unknown key": yield* assertion({ subject, key: strangersKeys.privateKey, keyId: "2" }),
          unsigned: `${unsigned}.${payload}.`,
          "without a signature": `${header}.${payload}.`,
          "another payload": `${header}.${btoa('{"sub":"eve"}').replaceAll("=", "")}.${signature}`,
          "no name": yield* assertion(),
          "an empty name": yield* assertion({ email: "", subject: "" }),
          "no text": yield* assertion({ email: 42 })
        }
        for (const [which, token] of Object.entries(rejected)) {
          const exit = yield* Effect.result(verify(token))
          assert.strictEqual(exit._tag, "Failure", which)
          if (exit._tag === "Failure") assert.strictEqual(exit.failure._tag, "AssertionRejected", which)
        }
        // The others were rejected for themselves.
        assert.deepStrictEqual(yield* verify(good), { operator: subject })
      })
    )
  })
