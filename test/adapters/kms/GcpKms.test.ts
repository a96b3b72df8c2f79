/** The adapter of Google Cloud KMS against a fake that speaks its protocol. */
import { BunFileSystem } from "@effect/platform-bun"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { exportPKCS8, generateKeyPair, jwtVerify } from "jose"
import * as RemoteKey from "../../../src/adapters/evm/keys/RemoteKey.ts"
import * as TreasuryAccount from "../../../src/adapters/evm/keys/TreasuryAccount.ts"
import * as GcpKms from "../../../src/adapters/kms/GcpKms.ts"
import { typedData } from "../../../src/domain/SweepOrder.ts"
import { TreasuryKey } from "../../../src/ports/orchestrator/TreasuryKey.ts"
import { treasuryKeySuite } from "../../ports/orchestrator/TreasuryKey.suite.ts"
import { GCP, gcpKms, keyOf } from "../../support/FakeKms.ts"
import { hash, newIntent } from "../../support/IntentFixtures.ts"
import { type Answer, type Seen, StubServer } from "../../support/StubServer.ts"

const key = keyOf(hash("fee recipient"))
const order = typedData(newIntent({ id: "a" }).order, { name: "Service", chainId: 8453 })
const digest = Buffer.alloc(32, 7)

/** Long enough for a slow machine. */
const PATIENT_MILLIS = 60_000

const platform = Layer.mergeAll(FetchHttpClient.layer, BunFileSystem.layer)

const kmsAt = (timeoutMillis: number, credentialsFile?: string) =>
  Effect.flatMap(StubServer, ({ url }) =>
    GcpKms.make(GCP, { timeoutMillis, credentialsFile, endpoint: url, metadataUrl: url })
  ).pipe(Effect.provide(platform))

const treasuryKey = (server: Layer.Layer<StubServer>) =>
  TreasuryAccount.layer(Effect.flatMap(kmsAt(PATIENT_MILLIS), RemoteKey.account)).pipe(Layer.provideMerge(server))

const honest = StubServer.answering(gcpKms(key))

treasuryKeySuite("a key of Google Cloud KMS", { layer: treasuryKey(honest), account: key.account })

const signer = Effect.flatMap(TreasuryKey, Effect.fromOption)

/** Answers requests to the KMS so, and others honestly. */
const kmsAnswers = (answer: (seen: Seen) => Answer) => {
  const fake = gcpKms(key)
  return (seen: Seen) => (seen.path.startsWith("/v1/") ? answer(seen) : fake(seen))
}

const requestsToKms = Effect.flatMap(StubServer, ({ seen }) =>
  Effect.map(seen, (all) => all.filter(({ path }) => path.startsWith("/v1/")))
)

describe("a key of Google Cloud KMS", () => {
  it.live("is refused if another key signs", () =>
    Effect.gen(function* () {
      const { signOrder } = yield* signer
      const { answer } = yield* StubServer
      yield* answer(gcpKms(keyOf(hash("another"))))
      const { detail } = yield* Effect.flip(signOrder(order))
      assert.strictEqual(detail, "the signature is of another key or of another message")
    }).pipe(Effect.provide(treasuryKey(honest)))
  )

  it.live("is refused if an answer is damaged, of another key or of another algorithm", () =>
    Effect.gen(function* () {
      const { publicKey, sign } = yield* kmsAt(PATIENT_MILLIS)
      const { answer } = yield* StubServer
      const refusal = (changes: Readonly<Record<string, unknown>>, request: Effect.Effect<unknown, Error>) =>
        Effect.gen(function* () {
          yield* answer(gcpKms(key, changes))
          return (yield* Effect.flip(request)).message
        })
      const damaged = "Google Cloud KMS: the answer was damaged on its way"
      assert.strictEqual(yield* refusal({ pemCrc32c: "1" }, publicKey), damaged)
      assert.strictEqual(yield* refusal({ signatureCrc32c: "1" }, sign(digest)), damaged)
      const foreign = "Google Cloud KMS: the answer is of another key"
      assert.strictEqual(yield* refusal({ name: `${GCP.version}0` }, publicKey), foreign)
      assert.strictEqual(yield* refusal({ name: `${GCP.version}0` }, sign(digest)), foreign)
      assert.strictEqual(
        yield* refusal({ algorithm: "EC_SIGN_P256_SHA256" }, publicKey),
        "Google Cloud KMS: the key's algorithm is not EC_SIGN_SECP256K1_SHA256"
      )
      assert.strictEqual(
        yield* refusal({ verifiedDigestCrc32c: false }, sign(digest)),
        "Google Cloud KMS: the service did not check the digest's checksum"
      )
    }).pipe(Effect.provide(honest))
  )

  it.live("is asked again when it throttles or fails, three times at most", () =>
    Effect.gen(function* () {
      const { sign } = yield* kmsAt(PATIENT_MILLIS)
      const { answer } = yield* StubServer
      let count = 0
      yield* answer(kmsAnswers((seen) => (count++ < 2 ? { status: count === 1 ? 429 : 503 } : gcpKms(key)(seen))))
      yield* sign(digest)
      assert.lengthOf(yield* requestsToKms, 3)
      yield* answer(kmsAnswers(() => ({ status: 429 })))
      assert.strictEqual((yield* Effect.flip(sign(digest))).detail, "Google Cloud KMS: HTTP 429")
      assert.lengthOf(yield* requestsToKms, 6)
      yield* answer(kmsAnswers(() => ({ status: 403, body: { error: { message: "example" } } })))
      assert.strictEqual((yield* Effect.flip(sign(digest))).detail, "Google Cloud KMS: HTTP 403")
      assert.lengthOf(yield* requestsToKms, 7)
    }).pipe(Effect.provide(honest))
  )

  it.live("has a timeout, and so has its access token", () =>
    Effect.gen(function* () {
      const { publicKey, sign } = yield* kmsAt(100)
      for (const request of [publicKey, sign(digest)]) {
        assert.match((yield* Effect.flip(request)).detail, /no answer within 100 ms$/)
      }
    }).pipe(Effect.provide(StubServer.answering(() => ({ status: 200, silent: true }))))
  )

  it.live("gets one access token, and another when it is refused", () =>
    Effect.gen(function* () {
      const { sign } = yield* kmsAt(PATIENT_MILLIS)
      const { answer, seen } = yield* StubServer
      const tokens = Effect.map(seen, (all) => all.filter(({ path }) => path === GCP.metadataPath).length)
      yield* sign(digest)
      yield* sign(digest)
      assert.strictEqual(yield* tokens, 1)
      let count = 0
      yield* answer(kmsAnswers((request) => (count++ === 0 ? { status: 401 } : gcpKms(key)(request))))
      yield* sign(digest)
      assert.strictEqual(yield* tokens, 2)
    }).pipe(Effect.provide(honest))
  )
})

describe("the key file of a service account", () => {
  const inFile = Effect.fnUntraced(function* (content: string) {
    const files = yield* FileSystem.FileSystem
    const path = yield* files.makeTempFileScoped()
    yield* files.writeFileString(path, content)
    return path
  }, Effect.provide(BunFileSystem.layer))

  it.live("signs the request for a token", () =>
    Effect.gen(function* () {
      const { seen, url } = yield* StubServer
      const pair = yield* Effect.promise(() => generateKeyPair("RS256", { extractable: true }))
      const account = {
        type: "service_account",
        client_email: "fees@example.iam.gserviceaccount.com",
        private_key: yield* Effect.promise(() => exportPKCS8(pair.privateKey)),
        private_key_id: "key-1",
        token_uri: `${url}${GCP.tokenPath}`
      }
      const { sign } = yield* kmsAt(PATIENT_MILLIS, yield* inFile(JSON.stringify(account)))
      yield* sign(digest)
      const [request] = yield* seen
      const form = new URLSearchParams(request?.body)
      assert.strictEqual(form.get("grant_type"), "urn:ietf:params:oauth:grant-type:jwt-bearer")
      const { payload, protectedHeader } = yield* Effect.promise(() =>
        jwtVerify(form.get("assertion") ?? "", pair.publicKey, {
          issuer: account.client_email,
          audience: account.token_uri
        })
      )
      assert.strictEqual(payload["scope"], "https://www.googleapis.com/auth/cloudkms")
      assert.strictEqual(protectedHeader.kid, "key-1")
    }).pipe(Effect.scoped, Effect.provide(honest))
  )

  it.live("is refused without its content", () =>
    Effect.gen(function* () {
      for (const content of ["5ec4e7", JSON.stringify({ type: "authorized_user", private_key: "5ec4e7" })]) {
        const refused = yield* Effect.flip(kmsAt(PATIENT_MILLIS, yield* inFile(content)))
        assert.notInclude(JSON.stringify({ ...refused, message: refused.message }), "5ec4e7")
        assert.include(refused.message, "GOOGLE_APPLICATION_CREDENTIALS")
      }
      const account = {
        type: "service_account",
        client_email: "a",
        private_key: "5ec4e7",
        private_key_id: "b",
        token_uri: "http://127.0.0.1:1"
      }
      const { sign } = yield* kmsAt(PATIENT_MILLIS, yield* inFile(JSON.stringify(account)))
      const refused = yield* Effect.flip(sign(digest))
      assert.notInclude(JSON.stringify({ ...refused, message: refused.message }), "5ec4e7")
      assert.include(refused.message, "cannot sign")
    }).pipe(Effect.scoped, Effect.provide(honest))
  )
})
