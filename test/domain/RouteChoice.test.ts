import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as RouteChoice from "../../src/domain/RouteChoice.ts"

const positive = (maximum: bigint) => Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum }))

const Route = Schema.Struct({ amountOut: positive(10n ** 24n), gas: positive(5_000_000n) })
const Routes = Schema.Array(Route).check(Schema.isMaxLength(8))
const Worth = Schema.Struct({
  gasPrice: positive(10n ** 12n),
  nativeUsd: positive(10n ** 22n),
  outUsd: positive(10n ** 22n),
  outDecimals: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 }))
})

const USD = 10n ** 18n

describe("the choice among routes", () => {
  it.prop("loses and adds none, and puts the highest net output first", [Routes, Worth], ([routes, worth]) => {
    const ranked = RouteChoice.ranked(routes, worth)
    const nets = ranked.map((route) => RouteChoice.netOutput(route, worth))
    return (
      ranked.length === routes.length &&
      routes.every((route) => ranked.includes(route)) &&
      nets.every((net, index) => index === 0 || net <= (nets[index - 1] ?? 0n))
    )
  })

  it.prop("keeps the order of equal routes", [Route, Worth], ([route, worth]) => {
    const twins = [{ ...route }, { ...route }, { ...route }]
    const ranked = RouteChoice.ranked(twins, worth)
    return twins.every((twin, index) => ranked[index] === twin)
  })

  it.prop("goes by the output alone without prices", [Routes], ([routes]) =>
    RouteChoice.ranked(routes).every(
      ({ amountOut }, index, all) => index === 0 || amountOut <= (all[index - 1]?.amountOut ?? 0n)
    )
  )

  it.prop("never prefers a route that pays no more for more gas", [Route, Route, Worth], ([a, b, worth]) => {
    const [worse, better] = [
      { amountOut: a.amountOut < b.amountOut ? a.amountOut : b.amountOut, gas: a.gas > b.gas ? a.gas : b.gas },
      { amountOut: a.amountOut > b.amountOut ? a.amountOut : b.amountOut, gas: a.gas < b.gas ? a.gas : b.gas }
    ]
    return RouteChoice.netOutput(worse, worth) <= RouteChoice.netOutput(better, worth)
  })

  it("weighs the gas in the output token", () => {
    // 100,000 gas at 10 gwei is 0.001 ETH, 3 USD.
    const worth = { gasPrice: 10n ** 10n, nativeUsd: 3_000n * USD, outUsd: USD, outDecimals: 6 }
    assert.strictEqual(RouteChoice.netOutput({ amountOut: 100_000_000n, gas: 100_000n }, worth), 97_000_000n)
    const cheap = { name: "cheap", amountOut: 100_000_000n, gas: 100_000n }
    const costly = { name: "costly", amountOut: 101_000_000n, gas: 200_000n }
    const first = (using?: RouteChoice.GasWorth) => RouteChoice.ranked([cheap, costly], using)[0]?.name
    assert.strictEqual(first(worth), "cheap")
    assert.strictEqual(first({ ...worth, gasPrice: 10n ** 9n }), "costly")
    assert.strictEqual(first(), "costly")
    // Without a price of the output.
    assert.strictEqual(first({ ...worth, outUsd: 0n }), "costly")
    // More decimals than the native currency has.
    assert.strictEqual(
      RouteChoice.netOutput({ amountOut: 0n, gas: 100_000n }, { ...worth, outDecimals: 24 }),
      -3n * 10n ** 24n
    )
  })
})

describe("a route that delivered", () => {
  it("is outdone if it broke its promise and the next one promises more than it delivered", () => {
    assert.isTrue(RouteChoice.isOutdone(90n, 100n, { amountOut: 95n }))
    assert.isFalse(RouteChoice.isOutdone(96n, 100n, { amountOut: 95n }))
    assert.isFalse(RouteChoice.isOutdone(90n, 100n, undefined))
    // It kept its promise, and the next one has a higher output for more gas.
    assert.isFalse(RouteChoice.isOutdone(100n, 100n, { amountOut: 105n }))
  })
})
