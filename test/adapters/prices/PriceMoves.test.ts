import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryPrices from "../../../src/adapters/memory/orchestrator/Prices.ts"
import { PoolMarkets } from "../../../src/adapters/prices/PoolMarkets.ts"
import type { Market } from "../../../src/adapters/prices/PoolMeasuring.ts"
import * as PriceMoves from "../../../src/adapters/prices/PriceMoves.ts"
import { PriceMoves as PriceMovesPort } from "../../../src/ports/orchestrator/PriceMoves.ts"
import { Prices } from "../../../src/ports/orchestrator/Prices.ts"
import { address } from "../../support/FakeChain.ts"

const TOKEN = address(0xb1)
const USD = 10n ** 18n

const market = (tick: number, meanTick: number, hasMean = true): Market => ({
  price: USD,
  pools: [
    {
      pool: address(1),
      money: address(2),
      fee: 3_000,
      oldest: 0,
      bought: 1n,
      returned: 1n,
      depth: 1n,
      tick,
      meanTick,
      liquidity: 1n,
      meanLiquidity: 1n,
      hasMean
    }
  ]
})

const over = (last: Market | undefined) =>
  PriceMoves.layer.pipe(
    Layer.provide(Layer.mock(PoolMarkets)({ last: () => Effect.succeed(last) })),
    Layer.provideMerge(MemoryPrices.layer())
  )

const volatility = Effect.flatMap(PriceMovesPort, ({ volatilityBps }) => volatilityBps(1, TOKEN))

/** Reads the price, which is now `usd`. */
const read = Effect.fnUntraced(function* (usd: bigint) {
  yield* Ref.update(yield* MemoryPrices.PricesState, (state) => ({
    ...state,
    prices: new Map([[1, new Map([[TOKEN, usd]])]])
  }))
  return yield* (yield* Prices).usd(1, [{ address: TOKEN, decimals: 18 }])
})

describe("moves of prices", () => {
  it.effect("are the range of the readings of ten minutes", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* volatility)
      assert.deepStrictEqual(yield* read(USD), new Map([[TOKEN, USD]]))
      assert.isUndefined(yield* volatility)
      yield* TestClock.adjust("2 minutes")
      yield* read((USD * 1_003n) / 1_000n)
      assert.strictEqual(yield* volatility, 30)
      yield* TestClock.adjust("10 minutes")
      assert.isUndefined(yield* volatility)
    }).pipe(Effect.provide(over(undefined)))
  )

  it.effect("are twice the way of the deepest pool from its mean, if that is more", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* volatility, 24)
      yield* read(USD)
      yield* TestClock.adjust("2 minutes")
      yield* read((USD * 1_001n) / 1_000n)
      assert.strictEqual(yield* volatility, 24)
      yield* TestClock.adjust("2 minutes")
      yield* read((USD * 99n) / 100n)
      assert.strictEqual(yield* volatility, 111)
    }).pipe(Effect.provide(over(market(-100, -88))))
  )

  it.effect("are the way of the deepest pool from its earlier price, if it has no mean", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* volatility, 12)
    }).pipe(Effect.provide(over(market(-100, -88, false))))
  )
})
