/** Prices while somebody opens pools and trades in order to set them, on real Uniswap contracts. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as UniswapV3Prices from "../../../src/adapters/prices/UniswapV3Prices.ts"
import type { DevChain } from "../../../src/devnet/DevChain.ts"
import type { Chain } from "../../../src/domain/Chain.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import type * as Address from "../../../src/domain/Address.ts"
import { Prices } from "../../../src/ports/orchestrator/Prices.ts"
import { chainsWith, OneChain } from "../../support/OneChain.ts"
import * as Pools from "../../support/Pools.ts"

const USD = 10n ** 18n
const DAY = 86_400

/** The chain as an operator of a public network configures it. */
const withoutYoungPools = ({ minPoolAgeSeconds: _local, ...chain }: Chain): Chain => ({
  ...chain,
  blockTimeMillis: 10_000
})

/** Price by a service that was just started. */
const priceOf = (
  address: Address.Address,
  change: (chain: Chain) => Chain = (chain) => chain,
  options: UniswapV3Prices.Options = {}
) =>
  Effect.gen(function* () {
    const prices = yield* (yield* Prices).usd(31337, [{ address, decimals: 18 }])
    return prices.get(address)
  }).pipe(Effect.provide(UniswapV3Prices.layer(options).pipe(Layer.provide(chainsWith(change)))))

/** Lets the window pass in blocks of ten seconds. The node keeps the states of some hundred blocks. */
const passWindow = ({ node }: DevChain) =>
  Effect.orDie(node.ask("mine the window", (client) => client.mine({ blocks: 70, interval: 10 })))

const isNear = (price: bigint | undefined, usd: bigint) =>
  assert.isTrue(
    price !== undefined && price > (usd * USD * 97n) / 100n && price < (usd * USD * 103n) / 100n,
    `${price} is not about ${usd} dollars`
  )

layer(OneChain.layer)("prices of pools under attack, on a real chain", (it) => {
  it.effect("an attacker's token in a narrow pool of 150 dollars a side has no price", () =>
    Effect.gen(function* () {
      const dev = yield* OneChain
      const token = yield* Pools.deployToken(dev, 10n ** 24n)
      yield* dev.fund(Pools.ATTACKER, { token: "USDC", amount: 150n * 10n ** 6n })
      const sides = [
        { token, amount: 150n * USD },
        { token: dev.tokens.USDC, amount: 150n * 10n ** 6n }
      ] as const
      yield* Pools.open(dev, 10_000, sides, 200)
      yield* Pools.age(dev, 2 * DAY)
      assert.isUndefined(yield* priceOf(token, withoutYoungPools))
      // It is the depth that tells the pool from a market.
      isNear(yield* priceOf(token, withoutYoungPools, { minDepthUsd: 0n }), 1n)
    })
  )

  it.effect("new pools of 500 dollars, 10 % off, move no honest price", () =>
    Effect.gen(function* () {
      const dev = yield* OneChain
      const { USDC, WETH } = dev.tokens
      yield* Pools.age(dev, 2 * DAY)
      yield* dev.fund(Pools.ATTACKER, { token: "USDC", amount: 500n * 10n ** 6n })
      yield* dev.fund(Pools.ATTACKER, { token: "WETH", amount: USD })
      const sides = [
        { token: WETH, amount: (250n * USD) / 3_300n },
        { token: USDC, amount: 250n * 10n ** 6n }
      ] as const
      // As many as honest ones.
      yield* Pools.open(dev, 10_000, sides, 200)
      yield* Pools.open(dev, 100, sides, 10)
      isNear(yield* priceOf(NATIVE, withoutYoungPools), 3_000n)
      isNear(yield* priceOf(WETH, withoutYoungPools), 3_000n)
      // Their depth alone moves nothing either.
      isNear(yield* priceOf(NATIVE), 3_000n)
    })
  )

  it.effect("a deep pool counts for nothing until it is a day old", () =>
    Effect.gen(function* () {
      const dev = yield* OneChain
      const token = yield* Pools.deployToken(dev, 10n ** 24n)
      yield* dev.fund(Pools.ATTACKER, { token: "USDC", amount: 10n ** 12n })
      const sides = [
        { token, amount: 100_000n * USD },
        { token: dev.tokens.USDC, amount: 100_000n * 10n ** 6n }
      ] as const
      yield* Pools.open(dev, 3_000, sides)
      assert.isUndefined(yield* priceOf(token, withoutYoungPools))
      isNear(yield* priceOf(token), 1n)
      yield* Pools.age(dev, DAY - 60)
      assert.isUndefined(yield* priceOf(token, withoutYoungPools))
      yield* Pools.age(dev, 60)
      isNear(yield* priceOf(token, withoutYoungPools), 1n)
      yield* passWindow(dev)
      // A trade that moves the price overwrites the only observation. The log of the pool's initialization still proves its age.
      yield* Pools.swap(dev, { token, amount: 100n * USD }, dev.tokens.USDC, 3_000)
      isNear(yield* priceOf(token, withoutYoungPools), 1n)
    })
  )

  it.effect("a trade moves the price by no more than the tolerance while the mean of ten minutes stands", () =>
    Effect.gen(function* () {
      const dev = yield* OneChain
      const { BLK, USDC } = dev.tokens
      yield* Pools.growRing(dev, BLK, USDC, 3_000)
      // The first trade writes the observation before it, the second one after ten minutes has a mean to be compared with.
      const bought = { token: USDC, amount: 10n * 10n ** 6n }
      yield* dev.fund(Pools.ATTACKER, { token: "USDC", amount: 300_000_100n * 10n ** 6n })
      yield* Pools.swap(dev, bought, BLK, 3_000)
      yield* Pools.age(dev, 3_600)
      const before = yield* priceOf(BLK)
      isNear(before, 2n)
      yield* Pools.swap(dev, { token: USDC, amount: 300_000_000n * 10n ** 6n }, BLK, 3_000)
      isNear(yield* priceOf(BLK), 2n)
      yield* Pools.age(dev, 1_200)
      const after = yield* priceOf(BLK)
      assert.isTrue(after !== undefined && after > 7n * USD, String(after))
    })
  )

  it.effect("a trade in a pool with one observation moves the price once it has lasted for ten minutes", () =>
    Effect.gen(function* () {
      const dev = yield* OneChain
      const { USDC } = dev.tokens
      const token = yield* Pools.deployToken(dev, 10n ** 24n)
      yield* dev.fund(Pools.ATTACKER, { token: "USDC", amount: 10n ** 12n })
      const sides = [
        { token, amount: 100_000n * USD },
        { token: USDC, amount: 100_000n * 10n ** 6n }
      ] as const
      yield* Pools.open(dev, 3_000, sides)
      yield* Pools.age(dev, 2 * DAY)
      yield* passWindow(dev)
      yield* Pools.swap(dev, { token: USDC, amount: 100_000n * 10n ** 6n }, token, 3_000)
      isNear(yield* priceOf(token, withoutYoungPools), 1n)
      yield* passWindow(dev)
      isNear(yield* priceOf(token, withoutYoungPools), 4n)
    })
  )

  it.effect(
    "money that just came to an old pool with one observation counts once it has been there for ten minutes",
    () =>
      Effect.gen(function* () {
        const dev = yield* OneChain
        const { USDC } = dev.tokens
        const token = yield* Pools.deployToken(dev, 10n ** 24n)
        yield* dev.fund(Pools.ATTACKER, { token: "USDC", amount: 10n ** 12n })
        const sides = (dollars: bigint) =>
          [
            { token, amount: dollars * USD },
            { token: USDC, amount: dollars * 10n ** 6n }
          ] as const
        yield* Pools.open(dev, 3_000, sides(1_000n))
        yield* Pools.age(dev, 2 * DAY)
        yield* passWindow(dev)
        yield* Pools.open(dev, 3_000, sides(100_000n))
        assert.isUndefined(yield* priceOf(token, withoutYoungPools))
        yield* passWindow(dev)
        isNear(yield* priceOf(token, withoutYoungPools), 1n)
      })
  )
})
