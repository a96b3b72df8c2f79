/** Amounts of one asset in other decimals. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { comparable, convert } from "../../src/domain/AssetAmount.ts"

const Decimals = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 }))
const Amount = Schema.BigInt.check(Schema.isGreaterThanOrEqualToBigInt(0n), Schema.isLessThanBigInt(10n ** 40n))

describe("an amount in other decimals", () => {
  it("is exact in a finer unit, and rounded down in a coarser one", () => {
    assert.strictEqual(convert(1_500_000n, { from: 6, to: 18 }), 1_500_000_000_000_000_000n)
    assert.strictEqual(convert(1_500_000_999_999_999_999n, { from: 18, to: 6 }), 1_500_000n)
    assert.strictEqual(convert(999_999_999_999n, { from: 18, to: 6 }), 0n)
    assert.strictEqual(convert(7n, { from: 8, to: 8 }), 7n)
  })

  it.effect.prop(
    "is never worth more, and less by under one unit",
    [Amount, Decimals, Decimals],
    ([amount, from, to]) =>
      Effect.sync(() => {
        const converted = convert(amount, { from, to })
        const [before, after] = comparable(amount, converted, { from, to })
        assert.isTrue(after <= before)
        const [, more] = comparable(amount, converted + 1n, { from, to })
        assert.isTrue(more > before)
      })
  )

  it.effect.prop(
    "comes back as itself from a finer unit, and never as more",
    [Amount, Decimals, Decimals],
    ([amount, from, to]) =>
      Effect.sync(() => {
        const back = convert(convert(amount, { from, to }), { from: to, to: from })
        assert.isTrue(back <= amount)
        if (to >= from) assert.strictEqual(back, amount)
      })
  )

  it.effect.prop("grows with the amount", [Amount, Amount, Decimals, Decimals], ([a, b, from, to]) =>
    Effect.sync(() => {
      const [low, high] = a < b ? [a, b] : [b, a]
      assert.isTrue(convert(low, { from, to }) <= convert(high, { from, to }))
    })
  )

  it.effect.prop("compares as the fractions do", [Amount, Amount, Decimals, Decimals], ([a, b, from, to]) =>
    Effect.sync(() => {
      const [first, second] = comparable(a, b, { from, to })
      // a / 10^from < b / 10^to
      assert.strictEqual(first < second, a * 10n ** BigInt(to) < b * 10n ** BigInt(from))
      assert.strictEqual(first === second, a * 10n ** BigInt(to) === b * 10n ** BigInt(from))
    })
  )
})
