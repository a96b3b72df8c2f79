/** Worth of fees in tokens that only other exchanges than Uniswap v3 trade, on their real contracts. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import * as EvmChains from "../../../src/adapters/evm/chains/Chains.ts"
import * as RelayerKeys from "../../../src/adapters/memory/orchestrator/RelayerKeys.ts"
import * as FeeSale from "../../../src/adapters/prices/FeeSale.ts"
import * as PoolMarkets from "../../../src/adapters/prices/PoolMarkets.ts"
import * as Accounts from "../../../src/devnet/Accounts.ts"
import * as Artifacts from "../../../src/devnet/Artifacts.ts"
import * as DevChain from "../../../src/devnet/DevChain.ts"
import { type MarketToken, venuesOf } from "../../../src/devnet/market/Market.ts"
import * as Plan from "../../../src/devnet/market/Plan.ts"
import type { Chain } from "../../../src/domain/Chain.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { FeeValue } from "../../../src/ports/orchestrator/FeeValue.ts"
import { Prices } from "../../../src/ports/orchestrator/Prices.ts"
import { Chains } from "../../../src/ports/shared/Chains.ts"
import { withLiveClock } from "../../support/LiveClock.ts"

const WHOLE = 10n ** 18n
const CHAIN = { id: 31337, name: "source" } as const
const HOLDER = Accounts.users()[0]?.address ?? Accounts.relayers()[0].address

/** A token worth a dollar with one pool, which nobody lists. */
const traded = (symbol: string, usd: number): MarketToken => ({
  symbol,
  form: "string",
  decimals: 18,
  kind: "plain",
  taxBps: 0,
  usd: WHOLE,
  isListed: false,
  isPriced: false,
  amount: 1_000n * WHOLE,
  amountUsd: 1_000,
  into: "USDC",
  pools: [{ venue: "pancakeswap-v2", money: "USDC", kind: 0, usd }]
})

/** Prices that do not depend on the ages of pools. */
const prices = Layer.succeed(Prices, {
  usd: () => Effect.succeed(new Map([[NATIVE, 3_000n * WHOLE]])),
  detailed: () => Effect.die("not asked for")
})

class Scene extends Context.Service<Scene, { readonly dev: DevChain.DevChain; readonly plan: Plan.Plan }>()(
  "sweep/test/VenueScene"
) {
  static readonly layer = Layer.effect(
    Scene,
    withLiveClock(
      Effect.gen(function* () {
        const tokens = [traded("DEEP", 100_000), traded("THIN", 150)]
        const market = { name: CHAIN.name, shape: "bnb", venues: venuesOf("bnb"), tokens } as const
        const plan = Plan.make(market, CHAIN, yield* Artifacts.load, [HOLDER])
        const { chain, listed, pools, routers, venues } = plan
        const extras = { before: venues, after: pools, routers, chain, tokens: listed }
        return { plan, dev: yield* DevChain.start({ ...CHAIN, extras }) }
      })
    )
  ).pipe(Layer.provide(BunServices.layer), Layer.orDie)
}

/** Wei that 30 tokens, which are worth 0.01 units of native currency, count for on the chain after a change. */
const worth = (symbol: string, change: (chain: Chain) => Chain = (chain) => chain) =>
  Effect.gen(function* () {
    const { dev, plan } = yield* Scene
    const token = plan.tokens.find((each) => each.symbol === symbol)
    if (token === undefined) return yield* Effect.die(`no token ${symbol}`)
    const chains = EvmChains.layer([{ chain: change(dev.chain), rpcUrls: [dev.rpcUrl] }]).pipe(
      Layer.provide(FetchHttpClient.layer)
    )
    const fees = FeeSale.layer(2_000).pipe(
      Layer.provide(prices),
      Layer.provide(PoolMarkets.layer()),
      Layer.provide(RelayerKeys.layer([Accounts.relayers()[0].address])),
      Layer.provideMerge(chains)
    )
    return yield* Effect.gen(function* () {
      const client = yield* (yield* Chains).get(CHAIN.id)
      return yield* (yield* FeeValue).realisable(client, token.address, 30n * WHOLE, HOLDER)
    }).pipe(Effect.provide(fees))
  })

/** 0.01 units of native currency less the haircut. */
const EXPECTED = (8n * WHOLE) / 1_000n

const assertNear = (wei: bigint) =>
  assert.isTrue(wei > (EXPECTED * 97n) / 100n && wei <= EXPECTED, `${wei} wei, not ${EXPECTED}`)

/** Blocks are a quarter of an hour apart once time has passed. */
const BLOCK_SECONDS = 900
const DAY_SECONDS = 86_400

layer(Scene.layer)("worth of fees in tokens of other exchanges", (it) => {
  it.effect("is what they sell for there, less the haircut", () =>
    Effect.flatMap(Effect.scoped(worth("DEEP")), (wei) => Effect.sync(() => assertNear(wei)))
  )

  it.effect("is nothing in a thin pool", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* worth("THIN"), 0n)
    })
  )

  it.effect("is nothing while the guard does not list the router", () =>
    Effect.gen(function* () {
      // Multicall3 lists nothing.
      const unlisted = (chain: Chain): Chain => ({
        ...chain,
        contracts: { ...chain.contracts, guard: chain.multicall3 }
      })
      assert.strictEqual(yield* worth("DEEP", unlisted), 0n)
    })
  )

  it.effect("is nothing while the pool is younger than the least age, and counts afterwards", () =>
    Effect.gen(function* () {
      const { dev } = yield* Scene
      const aged = (chain: Chain): Chain => ({
        ...chain,
        minPoolAgeSeconds: DAY_SECONDS,
        blockTimeMillis: BLOCK_SECONDS * 1_000
      })
      assert.strictEqual(yield* worth("DEEP", aged), 0n)
      yield* dev.node.ask("let days pass", (client) => client.mine({ blocks: 200, interval: BLOCK_SECONDS }))
      assertNear(yield* worth("DEEP", aged))
    })
  )
})
