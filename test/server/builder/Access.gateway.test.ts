/** Access to the console through a single sign-on gateway, and without an admin token. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT } from "jose"
import { ConsoleOnly } from "../../../src/api/builder/Middleware.ts"
import { OperatorOnly } from "../../../src/api/shared/Middleware.ts"
import * as GatewayAssertions from "../../../src/adapters/jose/GatewayAssertions.ts"
import * as Harness from "./Harness.ts"
import { guardedBy } from "./guarded.ts"

const { asAdmin, ask, text, wallet } = Harness

const live = { excludeTestServices: true }

const ISSUER = "https://gateway.example.com"

const AUDIENCE = "the-console"

const keys = await generateKeyPair("ES256")

const strangersKeys = await generateKeyPair("ES256")

const jwks = createLocalJWKSet({ keys: [{ ...(await exportJWK(keys.publicKey)), kid: "1", alg: "ES256" }] })

interface Claims {
  readonly issuer?: string
  readonly audience?: string
  readonly expires?: string
  readonly email?: string | undefined
  readonly key?: CryptoKey
}

const assertion = ({
  audience = AUDIENCE,
  email = "ann@example.com",
  expires = "1m",
  issuer = ISSUER,
  key
}: Claims = {}) =>
  Effect.promise(() =>
    new SignJWT({ email })
      .setProtectedHeader({ alg: "ES256", kid: "1" })
      .setIssuer(issuer)
      .setAudience(audience)
      .setExpirationTime(expires)
      .sign(key ?? keys.privateKey)
  )

layer(
  Harness.layer({
    settings: { gatewayHeader: "X-Gateway-Assertion" },
    assertions: GatewayAssertions.layerWithKeys({ issuer: ISSUER, audience: AUDIENCE }, jwks)
  }),
  live
)("behind a gateway", (it) => {
  it.effect("the console is open to whom the gateway vouches for, and to nobody else", () =>
    Effect.gen(function* () {
      const through = (token: string, request = "GET /admin/builders", options: Harness.Ask = {}) =>
        ask(request, { ...options, headers: { "x-gateway-assertion": token } })
      assert.strictEqual((yield* through(yield* assertion())).status, 200)
      const forged = [
        "",
        "x.y.z",
        yield* assertion({ issuer: "https://other.example.com" }),
        yield* assertion({ audience: "another-app" }),
        yield* assertion({ expires: "-2m" }),
        yield* assertion({ key: strangersKeys.privateKey }),
        `${btoa('{"alg":"none"}').replaceAll("=", "")}.${(yield* assertion()).split(".")[1]}.`
      ]
      for (const token of forged) {
        const answer = yield* through(token)
        assert.strictEqual(answer.status, 401)
        assert.deepStrictEqual(answer.body, { error: "unauthorized" })
      }
      for (const request of guardedBy(ConsoleOnly)) {
        assert.strictEqual((yield* asAdmin(request)).status, 401, request)
        assert.strictEqual((yield* ask(request)).status, 401, request)
      }
      // The machine's routes keep their own token.
      const body = { id: "x", name: "X", builderBps: 0, maxBuilderBps: 0, payoutAddress: wallet().address }
      assert.strictEqual((yield* asAdmin("POST /builders", { body })).status, 201)
      yield* through(yield* assertion(), "PATCH /admin/builders/x", { body: { name: "Y" } })
      const audit = yield* through(yield* assertion(), "GET /admin/audit")
      assert.strictEqual(text(audit, "records", 0, "actor"), "ann@example.com")
    })
  )
})

layer(Harness.layer({ server: { adminToken: undefined } }), live)("without an admin token", (it) => {
  it.effect("every admin route is closed", () =>
    Effect.gen(function* () {
      for (const request of [...guardedBy(OperatorOnly), ...guardedBy(ConsoleOnly)]) {
        assert.strictEqual((yield* asAdmin(request)).status, 401, request)
        assert.strictEqual((yield* ask(request, { headers: { authorization: "Bearer " } })).status, 401, request)
      }
    })
  )
})
