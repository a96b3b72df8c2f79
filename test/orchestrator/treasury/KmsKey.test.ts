/** Sales whose orders are signed by a key of AWS KMS. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import { vi } from "vitest"
import * as RemoteKey from "../../../src/adapters/evm/keys/RemoteKey.ts"
import * as TreasuryAccount from "../../../src/adapters/evm/keys/TreasuryAccount.ts"
import * as AwsKms from "../../../src/adapters/kms/AwsKms.ts"
import { AWS, awsKms, keyOf } from "../../support/FakeKms.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { StubServer } from "../../support/StubServer.ts"
import * as Scene from "../../support/TreasuryScene.ts"
import { LST } from "../../support/TreasuryScene.ts"
import { RECIPIENT, WHOLE } from "../../support/TreasuryScript.ts"

for (const [name, value] of Object.entries(AWS.environment)) vi.stubEnv(name, value)

const key = keyOf(hash("fee recipient"))

const server = StubServer.answering(awsKms(key))

/** A scene whose treasury sells on request, with requests to the service at `url`. */
const sceneAt = (url: string) =>
  Scene.make({
    treasury: { intervalMillis: undefined, pollMillis: 20 },
    key: TreasuryAccount.layer(
      Effect.flatMap(AwsKms.make(AWS, { timeoutMillis: 60_000, endpoint: url }), RemoteKey.account)
    )
  })

const until = <A, E, R>(read: Effect.Effect<A, E, R>, isExpected: (value: A) => boolean) =>
  Effect.repeat(read, { schedule: Schedule.spaced("10 millis"), until: isExpected })

describe("with the fee recipient's key in AWS KMS", () => {
  it.live("fees are sold", () =>
    Effect.gen(function* () {
      assert.strictEqual(key.account, RECIPIENT)
      const { seen, url } = yield* StubServer
      const scene = yield* sceneAt(url)
      yield* scene.collect("a", LST, 100n * WHOLE)
      const { treasury } = yield* scene.start
      assert.strictEqual((yield* treasury.view).chains[0]?.selling, "on")
      yield* treasury.sell
      // The intake accepts only what the fee recipient signed.
      yield* until(
        Effect.sync(() => scene.asked.submitted),
        (submitted) => submitted.length === 1
      )
      yield* scene.settle("sale-1", 99_000_000n)
      const [sale] = yield* until(scene.sales.recent(1), ([each]) => each?.state === "settled")
      assert.strictEqual(sale?.amountOut, 99_000_000n)
      const targets = (yield* seen).map(({ headers }) => headers.get("x-amz-target"))
      assert.deepStrictEqual(targets, ["TrentService.GetPublicKey", "TrentService.Sign", "TrentService.Sign"])
    }).pipe(Effect.scoped, Effect.provide(server))
  )

  it.live("no order of another key's signature is submitted, and the sale is made when the key signs again", () =>
    Effect.gen(function* () {
      const { answer, seen, url } = yield* StubServer
      const scene = yield* sceneAt(url)
      yield* scene.collect("a", LST, 100n * WHOLE)
      const { treasury } = yield* scene.start
      yield* answer(awsKms(keyOf(hash("another"))))
      yield* treasury.sell
      // A second request to sign follows a refused signature.
      yield* until(seen, (requests) => requests.length >= 3)
      assert.deepStrictEqual(scene.asked.submitted, [])
      yield* answer(awsKms(key))
      yield* until(
        Effect.sync(() => scene.asked.submitted),
        (submitted) => submitted.length === 1
      )
    }).pipe(Effect.scoped, Effect.provide(Layer.fresh(server)))
  )
})
