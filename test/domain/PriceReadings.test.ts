import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as PriceReadings from "../../src/domain/PriceReadings.ts"

const USD = 10n ** 18n

const reading = (changes: Partial<PriceReadings.PoolReading> = {}): PriceReadings.PoolReading => ({
  bought: 50n * USD,
  returned: 99_000_000n,
  depth: 1_000_000_000n,
  tick: 0,
  meanTick: 0,
  liquidity: 1_000n,
  meanLiquidity: 1_000n,
  ...changes
})

const stable = { usd: USD, decimals: 6 }

const Cents = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000_000 }))
const Weighted = Schema.Struct({ price: Cents, weight: Cents })
const Votes = Schema.Array(Weighted).check(Schema.isMinLength(1), Schema.isMaxLength(12))
const votes = (given: typeof Votes.Type) =>
  given.map(({ price, weight }) => ({ price: BigInt(price), weight: BigInt(weight) }))
const sum = (given: ReadonlyArray<PriceReadings.WeightedPrice>) => given.reduce((so, { weight }) => so + weight, 0n)

describe("isSound", () => {
  it("takes a loss up to the tolerance, and no gain", () => {
    expect(PriceReadings.isSound(reading(), 100_000_000n, 100n)).toBe(true)
    expect(PriceReadings.isSound(reading(), 100_000_000n, 99n)).toBe(false)
    expect(PriceReadings.isSound(reading({ returned: 100_000_001n }), 100_000_000n, 100n)).toBe(false)
    expect(PriceReadings.isSound(reading({ bought: 0n }), 100_000_000n, 10_000n)).toBe(false)
    expect(PriceReadings.isSound(reading({ returned: 0n }), 100_000_000n, 10_000n)).toBe(false)
  })
})

describe("priceOf", () => {
  it("is what a sale pays, in dollars for a whole token", () => {
    expect(PriceReadings.priceOf(reading(), 18, stable, 500)).toBe((198n * USD) / 100n)
    const inNative = PriceReadings.priceOf(
      reading({ bought: 10n ** 8n, returned: USD }),
      8,
      { usd: 3_000n * USD, decimals: 18 },
      500
    )
    expect(inNative).toBe(3_000n * USD)
  })

  it("is the mean's as soon as the current price is too far from it", () => {
    const at = (tick: number, meanTick: number) =>
      PriceReadings.priceOf(reading({ returned: 100_000_000n, tick, meanTick }), 18, stable, 500)
    expect(at(500, 0)).toBe(2n * USD)
    // 1.0001^6932 = 2.0000
    expect(Number(at(0, 6_932)) / 1e18).toBeCloseTo(2 * 1.0001 ** 6_932, 9)
    expect(Number(at(6_932, 0)) / 1e18).toBeCloseTo(2 / 1.0001 ** 6_932, 9)
    expect(Number(at(501, 0)) / 1e18).toBeCloseTo(2 / 1.0001 ** 501, 9)
  })

  it("is finite at the ends of Uniswap's range and beyond", () => {
    const far = PriceReadings.priceOf(reading({ tick: -887_272, meanTick: 887_272 }), 18, stable, 500)
    expect(far).toBe(PriceReadings.priceOf(reading({ tick: -8_388_608, meanTick: 8_388_607 }), 18, stable, 500))
    expect(far > 0n).toBe(true)
  })
})

describe("sales at the mean", () => {
  it("pay what a small sale pays, whatever the current price is", () => {
    expect(PriceReadings.moneyAtMean(reading(), USD)).toBe(1_980_000n)
    expect(PriceReadings.amountAtMean(reading(), 1_980_000n)).toBe(USD)
    const moved = reading({ returned: 400_000_000n, tick: 13_864 })
    // 1.0001^13864 = 4.0002
    expect(Number(PriceReadings.moneyAtMean(moved, USD)) / 1e6).toBeCloseTo(2, 3)
    expect(Number(PriceReadings.amountAtMean(moved, 2_000_000n)) / 1e18).toBeCloseTo(1, 3)
  })
})

describe("weightOf", () => {
  it("is the depth in dollars, less what came during the window", () => {
    expect(PriceReadings.weightOf(reading(), stable)).toBe(1_000n * USD)
    expect(PriceReadings.weightOf(reading({ meanLiquidity: 10n }), stable)).toBe(10n * USD)
    expect(PriceReadings.weightOf(reading({ meanLiquidity: 9_999n }), stable)).toBe(1_000n * USD)
    expect(PriceReadings.weightOf(reading({ liquidity: 0n, meanLiquidity: 0n }), stable)).toBe(1_000n * USD)
  })
})

describe("weightedMedian", () => {
  it("has at least half of the weight on each side", () => {
    expect(PriceReadings.weightedMedian([])).toBeUndefined()
    expect(PriceReadings.weightedMedian([{ price: 5n, weight: 0n }])).toBeUndefined()
    expect(
      PriceReadings.weightedMedian([
        { price: 9n, weight: 1n },
        { price: 1n, weight: 3n },
        { price: 4n, weight: 1n }
      ])
    ).toBe(1n)
  })

  it.prop("lies between the prices of a majority, whatever the minority says", [Votes, Votes], ([many, few]) => {
    const honest = votes(many)
    const hostile = votes(few).map(({ price, weight }) => ({ price: price * 1_000n, weight }))
    const strong = honest.map(({ price, weight }) => ({ price, weight: weight * (sum(hostile) + 1n) }))
    const median = PriceReadings.weightedMedian([...hostile, ...strong])
    const prices = honest.map(({ price }) => Number(price))
    expect(Number(median)).toBeGreaterThanOrEqual(Math.min(...prices))
    expect(Number(median)).toBeLessThanOrEqual(Math.max(...prices))
  })

  it.prop("does not depend on the order", [Votes], ([given]) => {
    expect(PriceReadings.weightedMedian(votes(given).toReversed())).toBe(PriceReadings.weightedMedian(votes(given)))
  })
})

describe("agreedPrice", () => {
  const apart = (weight: bigint) => [
    { price: 100n, weight: 500n },
    { price: 200n, weight }
  ]

  it("needs two thirds of the weight near it", () => {
    expect(PriceReadings.agreedPrice(apart(250n), 500n)).toBe(100n)
    expect(PriceReadings.agreedPrice(apart(251n), 500n)).toBeUndefined()
    expect(PriceReadings.agreedPrice(apart(999n), 500n)).toBeUndefined()
    expect(PriceReadings.agreedPrice(apart(1_000n), 500n)).toBe(200n)
    expect(PriceReadings.agreedPrice([], 500n)).toBeUndefined()
  })

  it.prop("of a pool without depth moves nothing", [Votes, Cents], ([given, price]) => {
    const honest = votes(given)
    expect(PriceReadings.agreedPrice([...honest, { price: BigInt(price), weight: 0n }], 500n)).toBe(
      PriceReadings.agreedPrice(honest, 500n)
    )
  })
})
