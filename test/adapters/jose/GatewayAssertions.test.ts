import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { createLocalJWKSet } from "jose"
import * as GatewayAssertions from "../../../src/adapters/jose/GatewayAssertions.ts"
import { OperatorAssertions } from "../../../src/ports/builder/OperatorAssertions.ts"
import { AUDIENCE, ISSUER, jwks, operatorAssertionsSuite } from "../../ports/builder/OperatorAssertions.suite.ts"

const gateway = { issuer: ISSUER, audience: AUDIENCE }

operatorAssertionsSuite("given keys", GatewayAssertions.layerWithKeys(gateway, createLocalJWKSet(jwks)))

/** A gateway that publishes its keys over HTTP. */
const published = Layer.unwrap(
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => Response.json(jwks) })),
      (server) => Effect.promise(() => server.stop(true))
    ),
    ({ url }) => GatewayAssertions.layer({ ...gateway, jwksUrl: new URL("/certs", url) })
  )
)

operatorAssertionsSuite("keys of a gateway", published)

it.effect("without a gateway, rejects every assertion", () =>
  Effect.gen(function* () {
    const { verify } = yield* OperatorAssertions
    assert.strictEqual((yield* Effect.flip(verify("x.y.z")))._tag, "AssertionRejected")
  }).pipe(Effect.provide(GatewayAssertions.disabled))
)
