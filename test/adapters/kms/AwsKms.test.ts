/** The adapter of AWS KMS against a fake that speaks its protocol and checks the signatures of requests. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { vi } from "vitest"
import { inProcess } from "../../../src/adapters/evm/keys/KeyAccount.ts"
import * as LaneKeys from "../../../src/adapters/evm/keys/LaneKeys.ts"
import * as RemoteKey from "../../../src/adapters/evm/keys/RemoteKey.ts"
import * as TreasuryAccount from "../../../src/adapters/evm/keys/TreasuryAccount.ts"
import * as AwsKms from "../../../src/adapters/kms/AwsKms.ts"
import { typedData } from "../../../src/domain/SweepOrder.ts"
import { TreasuryKey } from "../../../src/ports/orchestrator/TreasuryKey.ts"
import { relayerKeysSuite } from "../../ports/orchestrator/RelayerKeys.suite.ts"
import { treasuryKeySuite } from "../../ports/orchestrator/TreasuryKey.suite.ts"
import { AWS, awsKms, keyOf, throttled } from "../../support/FakeKms.ts"
import { hash, newIntent } from "../../support/IntentFixtures.ts"
import { type Answer, type Seen, StubServer } from "../../support/StubServer.ts"

for (const [name, value] of Object.entries(AWS.environment)) vi.stubEnv(name, value)

const key = keyOf(hash("fee recipient"))
const order = typedData(newIntent({ id: "a" }).order, { name: "Service", chainId: 8453 })
const digest = Buffer.alloc(32, 7)

/** Long enough for a slow machine. */
const PATIENT_MILLIS = 60_000

const kmsAt = (timeoutMillis: number) =>
  Effect.flatMap(StubServer, ({ url }) => AwsKms.make(AWS, { timeoutMillis, endpoint: url }))

const treasuryKey = (server: Layer.Layer<StubServer>) =>
  TreasuryAccount.layer(Effect.flatMap(kmsAt(PATIENT_MILLIS), RemoteKey.account)).pipe(Layer.provideMerge(server))

const honest = StubServer.answering(awsKms(key))

relayerKeysSuite("a key of AWS KMS", {
  layer: LaneKeys.layer([
    Effect.map(kmsAt(PATIENT_MILLIS), (kms) => inProcess(RemoteKey.accountAt(key.account, kms)))
  ]).pipe(Layer.provide(honest)),
  lanes: [key.account]
})

treasuryKeySuite("a key of AWS KMS", { layer: treasuryKey(honest), account: key.account })

const signer = Effect.flatMap(TreasuryKey, Effect.fromOption)

/** Answers the first request differently. */
const firstly = (first: Answer) => {
  const later = awsKms(key)
  let count = 0
  return (seen: Seen) => (count++ === 0 ? first : later(seen))
}

describe("a key of AWS KMS", () => {
  it.live("is refused if it has another spec or usage", () =>
    Effect.gen(function* () {
      const { answer } = yield* StubServer
      for (const change of [{ KeySpec: "ECC_NIST_P256" }, { KeyUsage: "KEY_AGREEMENT" }]) {
        yield* answer((seen) => {
          const { body, ...rest } = awsKms(key)(seen)
          return { ...rest, body: { ...Object(body), ...change } }
        })
        const { message } = yield* Effect.flip(
          Layer.build(TreasuryAccount.layer(Effect.flatMap(kmsAt(PATIENT_MILLIS), RemoteKey.account)))
        )
        assert.strictEqual(
          message,
          "the fee recipient's key cannot be used: AWS KMS: the key's spec is not ECC_SECG_P256K1, or its usage is not SIGN_VERIFY. Check FEE_RECIPIENT_KEY and the permissions on the key"
        )
      }
    }).pipe(Effect.scoped, Effect.provide(honest))
  )

  it.live("is refused if another key signs", () =>
    Effect.gen(function* () {
      const { signAuthorization, signOrder } = yield* signer
      const { answer } = yield* StubServer
      yield* answer(awsKms(keyOf(hash("another"))))
      const refusals = yield* Effect.all([
        Effect.flip(signOrder(order)),
        Effect.flip(signAuthorization({ address: order.message.owner, chainId: 1, nonce: 0n }))
      ])
      for (const { detail } of refusals) {
        assert.strictEqual(detail, "the signature is of another key or of another message")
      }
    }).pipe(Effect.provide(treasuryKey(honest)))
  )

  it.live("is asked again when it throttles", () =>
    Effect.gen(function* () {
      const { account, signed } = yield* Effect.gen(function* () {
        const own = yield* signer
        return { account: own.address, signed: yield* own.signOrder(order) }
      }).pipe(Effect.provide(TreasuryAccount.layer(Effect.flatMap(kmsAt(PATIENT_MILLIS), RemoteKey.account))))
      assert.strictEqual(account, key.account)
      assert.lengthOf(signed, 132)
      assert.lengthOf(yield* (yield* StubServer).seen, 3)
    }).pipe(Effect.provide(StubServer.answering(firstly(throttled))))
  )

  it.live("is asked three times at most", () =>
    Effect.gen(function* () {
      const { sign } = yield* kmsAt(PATIENT_MILLIS)
      const { detail } = yield* Effect.flip(sign(digest))
      assert.strictEqual(detail, "AWS KMS: ThrottlingException")
      assert.lengthOf(yield* (yield* StubServer).seen, 3)
    }).pipe(Effect.provide(StubServer.answering(() => throttled)))
  )

  it.live("has a timeout", () =>
    Effect.gen(function* () {
      const { publicKey, sign } = yield* kmsAt(100)
      for (const request of [publicKey, sign(digest)]) {
        assert.strictEqual((yield* Effect.flip(request)).detail, "AWS KMS: no answer within 100 ms")
      }
    }).pipe(Effect.provide(StubServer.answering(() => ({ status: 200, silent: true }))))
  )

  it.live("fails without a text of the service", () =>
    Effect.gen(function* () {
      const { sign } = yield* kmsAt(PATIENT_MILLIS)
      const { answer } = yield* StubServer
      const headers = { "content-type": "application/x-amz-json-1.1" }
      for (const [type, name] of [
        ["AccessDeniedException", "AccessDeniedException"],
        ["DisabledException", "DisabledException"],
        ["no name: 5ec4e7", "unknown cause"]
      ] as const) {
        yield* answer({ status: 400, headers, body: { __type: type, message: "5ec4e7" } })
        const refused = yield* Effect.flip(sign(digest))
        assert.notInclude(JSON.stringify({ ...refused, message: refused.message }), "5ec4e7")
        assert.strictEqual(refused.detail, `AWS KMS: ${name}`)
      }
    }).pipe(Effect.provide(honest))
  )

  it.live("cannot sign with other credentials", () =>
    Effect.gen(function* () {
      yield* Effect.acquireRelease(
        Effect.sync(() => vi.stubEnv("AWS_SECRET_ACCESS_KEY", "wrong")),
        () => Effect.sync(() => vi.stubEnv("AWS_SECRET_ACCESS_KEY", AWS.environment.AWS_SECRET_ACCESS_KEY))
      )
      const { sign } = yield* kmsAt(PATIENT_MILLIS)
      assert.strictEqual((yield* Effect.flip(sign(digest))).detail, "AWS KMS: InvalidSignatureException")
    }).pipe(Effect.provide(honest))
  )
})
