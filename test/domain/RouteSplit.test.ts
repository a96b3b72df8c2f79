import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { netOutput } from "../../src/domain/RouteChoice.ts"
import * as RouteSplit from "../../src/domain/RouteSplit.ts"

const AMOUNT = 1_000_000n
const worth = { gasPrice: 1n, nativeUsd: 1n, outUsd: 1n, outDecimals: 18 }
const anyPaths = () => true

const bounded = (minimum: bigint, maximum: bigint) => Schema.BigInt.check(Schema.isBetweenBigInt({ minimum, maximum }))

/** Output of a pool with a constant product, whose sides are equal, less its fee. */
const pool = (depth: bigint, feeBps: bigint) => (amountIn: bigint) => {
  const taken = amountIn * (10_000n - feeBps)
  return (depth * taken) / (depth * 10_000n + taken)
}

const SHARES = [5n, 10n, 20n, 30n, 40n, 50n, 65n, 80n, 90n, 100n]

const curveOf = (path: string, output: (amountIn: bigint) => bigint, gas = 100n): RouteSplit.Curve<string> => ({
  path,
  samples: SHARES.map((share) => {
    const amountIn = (AMOUNT * share) / 100n
    return { amountIn, amountOut: output(amountIn), gas }
  })
})

const divide = (curves: ReadonlyArray<RouteSplit.Curve<string>>, other: Partial<RouteSplit.Terms<string>> = {}) =>
  RouteSplit.divide(curves, { amountIn: AMOUNT, areApart: anyPaths, worth, partGas: 10n, ...other })

const AMOUNTS = bounded(0n, 10n ** 30n)
const SAMPLES = Schema.Array(Schema.Tuple([AMOUNTS, AMOUNTS, bounded(0n, 10n ** 7n)]))
const CURVES = Schema.Array(SAMPLES)

describe("an amount that is divided among paths", () => {
  it("goes to two pools of the same depth in halves", () => {
    const parts = divide([curveOf("a", pool(10_000_000n, 30n)), curveOf("b", pool(10_000_000n, 30n))])
    assert.deepStrictEqual(
      parts.map(({ amountIn, path }) => [path, amountIn]),
      [
        ["a", 500_000n],
        ["b", 500_000n]
      ]
    )
  })

  it("goes to more pools by their depth, and to three at most", () => {
    const depths = [40_000_000n, 20_000_000n, 10_000_000n, 5_000_000n]
    const parts = divide(depths.map((depth, index) => curveOf(String(index), pool(depth, 30n))))
    assert.strictEqual(parts.length, RouteSplit.MAX_PARTS)
    const [first = 0n, second = 0n, third = 0n] = parts.map(({ amountIn }) => amountIn)
    assert.isTrue(first > second && second > third)
  })

  it("is not divided for a small gain, for gas that costs more, or between paths with a pool in common", () => {
    const deep = [curveOf("a", pool(1_000_000_000n, 30n)), curveOf("b", pool(1_000_000_000n, 30n))]
    assert.deepStrictEqual(divide(deep), [])
    const shallow = [curveOf("a", pool(10_000_000n, 30n)), curveOf("b", pool(10_000_000n, 30n))]
    assert.lengthOf(divide(shallow), 2)
    assert.deepStrictEqual(divide(shallow, { partGas: 100_000n }), [])
    assert.deepStrictEqual(divide(shallow, { areApart: () => false }), [])
    assert.deepStrictEqual(divide(shallow.slice(0, 1)), [])
  })

  it("is not divided by less than the least gain", () => {
    // Linear outputs up to the half: the second path pays for that half what the gain shall be.
    const single = (amountIn: bigint) => (amountIn <= 500_000n ? amountIn : 500_000n + (amountIn - 500_000n) / 2n)
    const second = (bonus: bigint) => (amountIn: bigint) =>
      amountIn <= 500_000n ? (amountIn * (250_000n + bonus)) / 500_000n : 250_000n + bonus
    // 0.3 % of 750,000, and the gas of the second path.
    const least = 2_250n + 110n
    assert.lengthOf(divide([curveOf("a", single), curveOf("b", second(least))]), 2)
    assert.deepStrictEqual(divide([curveOf("a", single), curveOf("b", second(least - 1n))]), [])
  })

  it("leaves out a small pool that pays far more than the deepest one, which others empty first", () => {
    const deep = curveOf("deep", pool(1_000_000_000n, 30n))
    const small = (bonusBps: bigint) =>
      curveOf("small", (amountIn) => {
        const taken = amountIn < 200_000n ? amountIn : 200_000n
        return (taken * (10_000n + bonusBps)) / 10_000n
      })
    assert.deepStrictEqual(
      divide([deep, small(150n)], { partGas: 0n }).map(({ path }) => path),
      ["deep", "small"]
    )
    assert.deepStrictEqual(divide([deep, small(1_000n)], { partGas: 0n }), [])
    // The best division of the others stays.
    const shallow = [curveOf("a", pool(10_000_000n, 30n)), curveOf("b", pool(10_000_000n, 30n))]
    assert.deepStrictEqual(divide([...shallow, small(1_000n)]), divide(shallow))
  })

  it.prop(
    "by concave outputs adds up to the amount, and pays the least gain more than any single path",
    [bounded(10n ** 6n, 10n ** 9n), bounded(10n ** 6n, 10n ** 9n), bounded(0n, 100n), bounded(0n, 300n)],
    ([one, other, fee, otherFee]) => {
      const curves = [
        curveOf("a", pool(one, fee)),
        curveOf("b", pool(other, otherFee)),
        curveOf("c", pool(one + other, 100n))
      ]
      const parts = divide(curves)
      if (parts.length === 0) return
      const net = netOutput(RouteSplit.totalOf(parts, 10n), worth)
      for (const { samples } of curves) {
        const single = RouteSplit.payout(samples, AMOUNT) ?? assert.fail("it is sampled")
        assert.isTrue(net >= netOutput(single, worth) + (single.amountOut * 30n) / 10_000n)
      }
      assert.strictEqual(
        parts.reduce((sum, { amountIn }) => sum + amountIn, 0n),
        AMOUNT
      )
      // The pools pay at least the promise.
      const pays: Record<string, (amountIn: bigint) => bigint> = {
        a: pool(one, fee),
        b: pool(other, otherFee),
        c: pool(one + other, 100n)
      }
      for (const { amountIn, amountOut, path } of parts) assert.isTrue(amountOut <= (pays[path]?.(amountIn) ?? 0n))
    }
  )

  it.prop(
    "is divided soundly or not at all, by any samples",
    [CURVES, AMOUNTS, AMOUNTS],
    ([given, amountIn, gasPrice]) => {
      const curves = given.map((samples, index) => ({
        path: String(index),
        samples: samples.map(([sold, amountOut, gas]) => ({ amountIn: sold, amountOut, gas }))
      }))
      const terms = { amountIn, worth: { ...worth, gasPrice } }
      RouteSplit.mayGain(curves, amountIn)
      const parts = divide(curves, terms)
      if (parts.length === 0) return
      assert.isTrue(parts.length >= 2 && parts.length <= RouteSplit.MAX_PARTS)
      assert.isTrue(parts.every((part) => part.amountIn > 0n))
      assert.strictEqual(new Set(parts.map(({ path }) => path)).size, parts.length)
      assert.strictEqual(
        parts.reduce((sum, part) => sum + part.amountIn, 0n),
        amountIn
      )
    }
  )

  it("is not considered while no price moves enough", () => {
    const coarse = (curve: RouteSplit.Curve<string>) => ({ ...curve, samples: curve.samples.slice(-4) })
    const deep = coarse(curveOf("a", pool(1_000_000_000n, 30n)))
    assert.isFalse(RouteSplit.mayGain([deep, { ...deep, path: "b" }], AMOUNT))
    const shallow = coarse(curveOf("b", pool(1_000_000n, 5n)))
    assert.isTrue(RouteSplit.mayGain([coarse(curveOf("a", pool(1_000_000_000n, 100n))), shallow], AMOUNT))
    assert.isFalse(RouteSplit.mayGain([shallow], AMOUNT))
    assert.isFalse(RouteSplit.mayGain([], AMOUNT))
  })
})
