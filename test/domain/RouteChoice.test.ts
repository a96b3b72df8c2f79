import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { lessBps } from "../../src/domain/Amount.ts"
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

  it("compares by the expected output, and not by the promised one", () => {
    const cautious = { name: "cautious", amountOut: 99_000_000n, likelyOut: 100_500_000n, gas: 100_000n }
    const exact = { name: "exact", amountOut: 100_000_000n, gas: 100_000n }
    assert.strictEqual(RouteChoice.ranked([exact, cautious])[0]?.name, "cautious")
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

describe("a poor route", () => {
  const Prices = Schema.Struct({
    inUsd: positive(10n ** 22n),
    outUsd: positive(10n ** 22n),
    inDecimals: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 24 })),
    outDecimals: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 24 }))
  })
  const Paid = positive(10n ** 30n)

  it("pays more than 3 % less than its input is worth", () => {
    const worth = { inUsd: 2n * USD, outUsd: USD, inDecimals: 18, outDecimals: 6 }
    assert.isFalse(RouteChoice.isPoor(10n ** 18n, 1_940_000n, worth))
    assert.isTrue(RouteChoice.isPoor(10n ** 18n, 1_939_999n, worth))
    assert.isFalse(RouteChoice.isPoor(10n ** 18n, 1n, undefined))
    assert.isFalse(RouteChoice.isPoor(10n ** 18n, 1n, { ...worth, inUsd: 0n }))
    assert.isFalse(RouteChoice.isPoor(10n ** 18n, 1n, { ...worth, outUsd: 0n }))
  })

  it.prop(
    "never becomes poor by paying more or taking less",
    [Paid, Paid, Paid, Prices],
    ([amount, paid, more, worth]) =>
      RouteChoice.isPoor(amount, paid, worth)
        ? RouteChoice.isPoor(amount + more, paid, worth)
        : !RouteChoice.isPoor(amount, paid + more, worth)
  )

  it.prop("is poor by values and not by units", [Paid, Paid, Prices], ([amount, paid, worth]) => {
    const finer = { ...worth, inDecimals: worth.inDecimals + 1, outDecimals: worth.outDecimals + 2 }
    return RouteChoice.isPoor(amount, paid, worth) === RouteChoice.isPoor(10n * amount, 100n * paid, finer)
  })
})

describe("a route that pays more than prices say", () => {
  const worth = { inUsd: 2n * USD, outUsd: USD, inDecimals: 18, outDecimals: 6 }
  const order = (outputs: ReadonlyArray<bigint>, by: { readonly worth?: RouteChoice.SwapWorth } = { worth }) =>
    RouteChoice.lastingFirst(
      outputs.map((amountOut) => ({ amountOut, gas: 0n })),
      10n ** 18n,
      by.worth
    ).map(({ amountOut }) => amountOut)

  it("comes after the others, if one of those pays what prices say or up to 1 % less", () => {
    assert.deepStrictEqual(order([2_060_001n, 1_980_000n, 1_000_000n]), [1_980_000n, 1_000_000n, 2_060_001n])
    assert.deepStrictEqual(order([2_060_001n, 1_979_999n]), [2_060_001n, 1_979_999n])
    assert.deepStrictEqual(order([2_060_000n, 1_980_000n]), [2_060_000n, 1_980_000n])
    assert.deepStrictEqual(order([2_200_000n, 2_100_000n]), [2_200_000n, 2_100_000n])
  })

  it("stays where it is without a price", () => {
    for (const unknown of [{}, { worth: { ...worth, inUsd: 0n } }, { worth: { ...worth, outUsd: 0n } }]) {
      assert.deepStrictEqual(order([2_200_000n, 2_000_000n], unknown), [2_200_000n, 2_000_000n])
    }
  })

  const Outputs = Schema.Array(positive(4_000_000n))

  it.prop("is lost by no order, and none of the others changes its place among them", [Outputs], ([outputs]) => {
    const ordered = order(outputs)
    const lasting = (list: ReadonlyArray<bigint>) => list.filter((amountOut) => amountOut <= 2_060_000n)
    return (
      ordered.toSorted().join() === [...outputs].toSorted().join() &&
      lasting(ordered).join() === lasting(outputs).join()
    )
  })
})

describe("the routes that are tried", () => {
  const Named = Schema.Struct({
    provider: Schema.Literals(["a", "b", "c"]),
    amountOut: positive(1_100n),
    gas: positive(10n)
  })
  const tried = (routes: ReadonlyArray<readonly [string, bigint]>) =>
    RouteChoice.spread(routes.map(([provider, amountOut]) => ({ provider, amountOut, gas: 0n }))).map(
      ({ amountOut, provider }) => `${provider} ${amountOut}`
    )

  it("begin with the best of each provider that pays at most 3 % less", () => {
    assert.deepStrictEqual(
      tried([
        ["a", 1_000n],
        ["a", 990n],
        ["a", 980n],
        ["b", 961n],
        ["b", 960n],
        ["c", 951n]
      ]),
      ["a 1000", "b 961", "a 990", "c 951", "a 980", "b 960"]
    )
  })

  it("keep their order where the other provider pays far less", () => {
    const routes = [
      ["a", 1_000n],
      ["a", 990n],
      ["b", 700n],
      ["c", 1n]
    ] as const
    assert.deepStrictEqual(tried(routes), ["a 1000", "a 990", "b 700", "c 1"])
  })

  it("keep a route that does not last behind the others", () => {
    assert.deepStrictEqual(
      tried([
        ["a", 1_000n],
        ["a", 990n],
        ["b", 1_100n]
      ]),
      ["a 1000", "a 990", "b 1100"]
    )
  })

  it.prop("lose none, and pass none that pays over 3 % more", [Schema.Array(Named)], ([routes]) => {
    const ranked = RouteChoice.ranked(routes)
    const spread = RouteChoice.spread(ranked)
    const isPassed = (route: (typeof ranked)[number], at: number) =>
      spread
        .slice(0, at)
        .every(
          (before) => ranked.indexOf(before) < ranked.indexOf(route) || before.amountOut * 100n >= route.amountOut * 97n
        )
    return (
      spread.length === routes.length &&
      routes.every((route) => spread.includes(route)) &&
      spread[0] === ranked[0] &&
      spread.every(isPassed)
    )
  })
})

describe("the routes that are kept", () => {
  const Routes = Schema.Array(
    Schema.Struct({ provider: Schema.Literals(["a", "b", "c", "d"]), amountOut: positive(1_100n) })
  )
  const Most = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 8 }))

  it("are the first ones, and the best of each provider behind them", () => {
    const routes = ["a", "b", "a", "b", "c", "a", "c", "d"].map((provider, at) => ({ provider, at }))
    assert.deepStrictEqual(
      RouteChoice.kept(routes, 3).map(({ at, provider }) => `${provider} ${at}`),
      ["a 0", "b 1", "a 2", "c 4", "d 7"]
    )
  })

  it.prop("keep their order, and lose no provider and none of the first ones", [Routes, Most], ([routes, most]) => {
    const kept = RouteChoice.kept(routes, most)
    const places = kept.map((route) => routes.indexOf(route))
    const best = routes.filter((route, at) => routes.findIndex(({ provider }) => provider === route.provider) === at)
    return (
      places.every((place, at) => at === 0 || place > (places[at - 1] ?? 0)) &&
      routes.slice(0, most).every((route) => kept.includes(route)) &&
      best.every((route) => kept.includes(route)) &&
      kept.every((route, at) => at < most || best.includes(route))
    )
  })
})

describe("the tolerance of a fixed minimum", () => {
  const Amount = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 10n ** 24n }))
  const Bps = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))

  it("is the distance from the estimate, rounded up", () => {
    assert.strictEqual(RouteChoice.toleranceOf(10_000n, 9_950n), 50)
    assert.strictEqual(RouteChoice.toleranceOf(10n ** 18n, 10n ** 18n - 10n ** 12n), 1)
    assert.strictEqual(RouteChoice.toleranceOf(100n, 100n), 0)
    assert.strictEqual(RouteChoice.toleranceOf(100n, 101n), 0)
    assert.strictEqual(RouteChoice.toleranceOf(0n, 0n), 0)
    assert.strictEqual(RouteChoice.toleranceOf(10n ** 18n, 0n), 10_000)
  })

  it.prop("is the smallest one whose minimum is not above", [Amount, Amount], ([estimated, other]) => {
    const least = other < estimated ? other : estimated
    const bps = RouteChoice.toleranceOf(estimated, least)
    return lessBps(estimated, bps) <= least && (bps === 0 || lessBps(estimated, bps - 1) > least)
  })

  it.prop("never exceeds the one that made the minimum", [Amount, Bps], ([estimated, bps]) => {
    const told = RouteChoice.toleranceOf(estimated, lessBps(estimated, bps))
    return told <= bps && (estimated < 10_000n || told === bps)
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
