/** Shares of a rollup's fee. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { areAlike, lower, NONE, operatorFee, RATE_GAS, share } from "../../src/domain/RollupFee.ts"

const Wei = Schema.BigInt.check(Schema.isGreaterThanOrEqualToBigInt(0n), Schema.isLessThanBigInt(10n ** 20n))
const Gas = Schema.BigInt.check(Schema.isGreaterThanOrEqualToBigInt(0n), Schema.isLessThanBigInt(10n ** 9n))
const Bytes = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100_000 }))

describe("a rollup's fee", () => {
  it("is that of the bytes, in proportion, and the operator's for the gas", () => {
    const fee = { data: 1_000n, operatorBase: 7n, operatorRate: 3n * RATE_GAS }
    assert.strictEqual(operatorFee(fee, 200n), 607n)
    assert.strictEqual(share(fee, { bytes: 100, own: 50, gas: 200n }), 1_107n)
    assert.strictEqual(share(fee, { bytes: 3, own: 1, gas: 0n }), 341n)
    assert.strictEqual(share(NONE, { bytes: 3, own: 1, gas: 200n }), 0n)
  })

  it.effect.prop(
    "is covered by its shares, however a transaction is divided",
    [Wei, Wei, Wei, Schema.Array(Schema.Tuple([Bytes, Gas])).check(Schema.isMinLength(1), Schema.isMaxLength(20))],
    ([data, operatorBase, operatorRate, sweeps]) =>
      Effect.sync(() => {
        const fee = { data, operatorBase, operatorRate }
        const bytes = sweeps.reduce((sum, [own]) => sum + own, 0)
        const gas = sweeps.reduce((sum, [, each]) => sum + each, 0n)
        const paid = sweeps.reduce((sum, [own, each]) => sum + share(fee, { bytes, own, gas: each }), 0n)
        assert.isTrue(paid >= data + operatorFee(fee, gas))
      })
  )

  it("is the lower one of two endpoints, which are alike up to twice of each part", () => {
    const fee = { data: 1_000n, operatorBase: 7n, operatorRate: 0n }
    const other = { data: 2_000n, operatorBase: 4n, operatorRate: 0n }
    assert.isTrue(areAlike(fee, other))
    assert.deepStrictEqual(lower(fee, other), { data: 1_000n, operatorBase: 4n, operatorRate: 0n })
    assert.isFalse(areAlike(fee, { ...other, data: 2_001n }))
  })
})
