import { BunFileSystem } from "@effect/platform-bun"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { vi } from "vitest"
import * as Kms from "../../../src/adapters/kms/Kms.ts"
import { AWS, awsKms, GCP, keyOf } from "../../support/FakeKms.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { StubServer } from "../../support/StubServer.ts"

const key = keyOf(hash("fee recipient"))
const options = { timeoutMillis: 60_000, googleCredentials: undefined }

const environment = Layer.mergeAll(FetchHttpClient.layer, BunFileSystem.layer, StubServer.answering(awsKms(key)))

it.live("a key is asked of the service that its name tells", () =>
  Effect.gen(function* () {
    const { url } = yield* StubServer
    for (const [name, value] of Object.entries({ ...AWS.environment, AWS_ENDPOINT_URL_KMS: url })) {
      vi.stubEnv(name, value)
    }
    const aws = yield* Kms.make({ provider: "aws", region: AWS.region, keyId: AWS.keyId }, options)
    assert.deepStrictEqual(Buffer.from(yield* aws.publicKey), key.publicKey)
    const gcp = Kms.make(
      { provider: "gcp", version: GCP.version },
      { ...options, googleCredentials: "/nowhere/google.json" }
    )
    assert.include((yield* Effect.flip(gcp)).detail, "GOOGLE_APPLICATION_CREDENTIALS")
  }).pipe(Effect.scoped, Effect.provide(environment))
)
