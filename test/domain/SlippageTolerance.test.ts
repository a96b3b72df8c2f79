import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as SlippageTolerance from "../../src/domain/SlippageTolerance.ts"

const Bps = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20_000 }))
const Seconds = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 }))
const Kind = Schema.Literals(["stable", "volatile"])
const Measure = Schema.UndefinedOr(Bps)
const Bound = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))

const bounds = { floorBps: 10, capBps: 100 }
const quiet: SlippageTolerance.Measured = {
  kind: "volatile",
  crossesChains: false,
  impactBps: 0,
  volatilityBps: 0,
  lifetimeSeconds: 120
}
const of = (changes: Partial<SlippageTolerance.Measured>) =>
  SlippageTolerance.toleranceBps({ ...quiet, ...changes }, bounds)

describe("the automatic slippage tolerance", () => {
  it("is low for a deep market that does not move, and lowest for stables", () => {
    assert.deepStrictEqual(
      [of({}), of({ kind: "stable" }), of({ crossesChains: true }), of({ impactBps: undefined })],
      [25, 10, 35, 25]
    )
  })

  it("is 50 basis points for a volatile pair of which nothing is known", () => {
    assert.strictEqual(of({ volatilityBps: undefined, impactBps: undefined }), 50)
    assert.strictEqual(of({ volatilityBps: undefined, kind: "stable" }), 10)
  })

  it("follows what is measured up to the cap", () => {
    assert.deepStrictEqual(
      [of({ volatilityBps: 40 }), of({ impactBps: 40 }), of({ volatilityBps: 500 }), of({ impactBps: 9_000 })],
      [61, 45, 100, 100]
    )
    assert.strictEqual(of({ volatilityBps: Number.NaN }), 50)
  })

  it.prop(
    "is an integer within the bounds, and never above the cap",
    [Kind, Schema.Boolean, Measure, Measure, Seconds, Bound, Bound],
    ([kind, crossesChains, impactBps, volatilityBps, lifetimeSeconds, floorBps, capBps]) => {
      const tolerance = SlippageTolerance.toleranceBps(
        { kind, crossesChains, impactBps, volatilityBps, lifetimeSeconds },
        { floorBps, capBps }
      )
      return Number.isInteger(tolerance) && tolerance <= capBps && tolerance >= Math.min(floorBps, capBps)
    }
  )

  it.prop(
    "rises with impact, volatility and lifetime",
    [Kind, Bps, Bps, Seconds, Bps, Bps, Seconds],
    ([kind, impactBps, volatilityBps, lifetimeSeconds, moreImpact, moreVolatility, longer]) => {
      const less = of({ kind, impactBps, volatilityBps, lifetimeSeconds })
      return (
        of({ kind, impactBps: impactBps + moreImpact, volatilityBps, lifetimeSeconds }) >= less &&
        of({ kind, impactBps, volatilityBps: volatilityBps + moreVolatility, lifetimeSeconds }) >= less &&
        of({ kind, impactBps, volatilityBps, lifetimeSeconds: lifetimeSeconds + longer }) >= less
      )
    }
  )
})

describe("the volatility of a pair", () => {
  const side = (volatilityBps: number | undefined, isStable = false) => ({ isStable, volatilityBps })

  it("is the higher one, and unknown if that of a token is", () => {
    assert.deepStrictEqual(
      [
        SlippageTolerance.pairVolatilityBps([side(3), side(7)]),
        SlippageTolerance.pairVolatilityBps([side(3), side(undefined)]),
        SlippageTolerance.pairVolatilityBps([side(3), side(undefined, true)]),
        SlippageTolerance.pairVolatilityBps([side(3), side(9, true)])
      ],
      [7, undefined, 3, 9]
    )
  })

  it("comes from readings of the last ten minutes that are not of one moment", () => {
    const at = (seconds: number, usd: bigint) => ({ atMs: seconds * 1_000, usd })
    const all = [at(0, 1_000n), at(5, 5_000n), at(300, 1_010n), at(640, 1_020n), at(645, 9n)].reduce(
      SlippageTolerance.withReading,
      [] as ReadonlyArray<SlippageTolerance.PriceReading>
    )
    assert.deepStrictEqual(all, [at(300, 1_010n), at(640, 1_020n)])
    assert.strictEqual(SlippageTolerance.rangeBps(all, 640_000), 99)
    assert.isUndefined(SlippageTolerance.rangeBps(all, 901_000))
    assert.isUndefined(SlippageTolerance.rangeBps([], 0))
    assert.isUndefined(SlippageTolerance.rangeBps([at(0, 5n), at(119, 6n)], 120_000))
  })
})

describe("the price impact by two amounts", () => {
  const Reserve = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 10n ** 12n, maximum: 10n ** 30n }))
  const Permille = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_000 }))

  it.prop("is that of a constant product", [Reserve, Reserve, Permille], ([reserveIn, reserveOut, permille]) => {
    const most = (reserveIn * BigInt(permille)) / 1_000n
    const sample = (amountIn: bigint) => ({ amountIn, amountOut: (reserveOut * amountIn) / (reserveIn + amountIn) })
    const impact = SlippageTolerance.impactBps(sample((most * 60n) / 100n), sample(most))
    // It is rounded up, from outputs that are rounded down themselves.
    const exact = Number((10_000_000n * most) / (reserveIn + most)) / 1_000
    return impact !== undefined && Math.abs(impact - exact) <= 1.01
  })

  it.prop(
    "is from 0 to 10000, or unknown",
    [Schema.BigInt, Schema.BigInt, Schema.BigInt, Schema.BigInt],
    ([a, outOfA, b, outOfB]) => {
      const impact = SlippageTolerance.impactBps({ amountIn: a, amountOut: outOfA }, { amountIn: b, amountOut: outOfB })
      return impact === undefined || (Number.isInteger(impact) && impact >= 0 && impact <= 10_000)
    }
  )
})
