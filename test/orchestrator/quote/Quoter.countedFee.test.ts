/** Native currency is not quoted in its wrapped form to an account that gets one of the fees: the fee would count as output. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { QuoteRequest } from "../../../src/domain/Quote.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import * as Quoting from "../../support/Quoting.ts"

const { PAYOUT, STABLE, TOKEN, source } = Quoting

const wrapping = { apiKey: Quoting.KEY, tokenIn: NATIVE, tokenOut: source.wrappedNative } as const

type Scene = Effect.Success<ReturnType<typeof Quoting.make>>

const reasonOf = (scene: Scene, request: Partial<QuoteRequest>) =>
  Effect.map(Effect.flip(scene.quote(request)), (failed) =>
    failed._tag === "QuoteFailed" ? failed.reason : failed._tag
  )

describe("native currency in its wrapped form", () => {
  it.effect("is not quoted to the fee recipient", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      assert.strictEqual(yield* reasonOf(scene, { ...wrapping, destination: source.feeRecipient }), "counted_fee")
      assert.deepStrictEqual(scene.asked.created, [])
      yield* scene.quote({ tokenIn: TOKEN, tokenOut: STABLE, destination: source.feeRecipient })
    })
  )

  it.effect("is quoted to the builder only if that earns nothing", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      yield* scene.attributes({})
      assert.strictEqual(yield* reasonOf(scene, { ...wrapping, destination: PAYOUT }), "counted_fee")
      assert.deepStrictEqual(scene.asked.created, [])
      yield* scene.quote({ ...wrapping, tokenOut: STABLE, destination: PAYOUT })
      yield* scene.attributes({ builderBps: 0 })
      yield* scene.quote({ ...wrapping, destination: PAYOUT })
    })
  )

  it.effect("is not quoted to the vault that is paid for a builder", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      yield* scene.attributes({ payoutMode: "ledger" })
      assert.strictEqual(yield* reasonOf(scene, { ...wrapping, destination: source.builderVault }), "counted_fee")
      yield* scene.quote({ ...wrapping, destination: PAYOUT })
    })
  )
})
