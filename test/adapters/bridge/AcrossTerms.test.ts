/** Terms of a deposit whose tokens have other decimals, compared exactly. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { assertTerms } from "../../../src/adapters/bridge/AcrossTerms.ts"
import * as Address from "../../../src/domain/Address.ts"
import { lessBps } from "../../../src/domain/Amount.ts"
import { convert } from "../../../src/domain/AssetAmount.ts"

const Decimals = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 24 }))
const Amount = Schema.BigInt.check(Schema.isGreaterThanOrEqualToBigInt(1n), Schema.isLessThanBigInt(10n ** 30n))
const FeeBps = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3_000 }))

const verdict = (inputAmount: bigint, outputAmount: bigint, decimals: { readonly from: number; readonly to: number }) =>
  assertTerms(
    { inputAmount, outputAmount, exclusiveRelayer: Address.zero, exclusivityParameter: 0 },
    3_000,
    decimals
  ).pipe(
    Effect.as("fair"),
    Effect.catchTag("NoRoute", ({ detail }) => Effect.succeed(detail))
  )

describe("the terms of a deposit", () => {
  it.effect("compare USDC of BNB Chain with that of other chains", () =>
    Effect.gen(function* () {
      const [up, down] = [
        { from: 6, to: 18 },
        { from: 18, to: 6 }
      ]
      const [million, ether] = [1_000_000n, 10n ** 18n]
      assert.strictEqual(yield* verdict(million, ether, up), "fair")
      assert.match(yield* verdict(million, ether + 1n, up), /above the input/)
      // The amount of the input's unit, taken for the output's.
      assert.match(yield* verdict(million, million, up), /above 3000 bps/)
      assert.match(yield* verdict(million, (ether * 7n) / 10n - 1n, up), /above 3000 bps/)
      assert.strictEqual(yield* verdict(ether, million, down), "fair")
      assert.match(yield* verdict(ether, ether, down), /above the input/)
      assert.match(yield* verdict(ether - 1n, million, down), /above the input/)
      assert.match(yield* verdict(10n ** 11n, 1n, down), /above the input/)
      assert.match(yield* verdict(10n ** 11n, 0n, down), /does not cover/)
    })
  )

  it.effect("are refused for an output that no token can hold", () =>
    Effect.gen(function* () {
      assert.match(yield* verdict(2n ** 255n, 2n ** 256n, { from: 6, to: 18 }), /too large/)
    })
  )

  it.effect.prop(
    "take an offer within the limit of the fee, and none above the input",
    [Amount, FeeBps, Decimals, Decimals],
    ([inputAmount, feeBps, from, to]) =>
      Effect.gen(function* () {
        const decimals = { from, to }
        const whole = convert(inputAmount, decimals)
        const offer = convert(lessBps(inputAmount, feeBps), decimals)
        assert.strictEqual(
          yield* verdict(inputAmount, offer, decimals),
          offer === 0n ? yield* verdict(1n, 0n, decimals) : "fair"
        )
        assert.notStrictEqual(yield* verdict(inputAmount, whole + 1n, decimals), "fair")
      })
  )
})
