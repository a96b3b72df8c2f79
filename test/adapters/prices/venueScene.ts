/** A market of tokens with one pool each, on another exchange than Uniswap v3, for tests of what fees are worth. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { Context, Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { encodeFunctionData, multicall3Abi } from "viem"
import * as EvmChains from "../../../src/adapters/evm/chains/Chains.ts"
import * as RelayerKeys from "../../../src/adapters/memory/orchestrator/RelayerKeys.ts"
import * as FeeSale from "../../../src/adapters/prices/FeeSale.ts"
import * as PoolMarkets from "../../../src/adapters/prices/PoolMarkets.ts"
import * as Accounts from "../../../src/devnet/Accounts.ts"
import * as DevChain from "../../../src/devnet/DevChain.ts"
import { MULTICALL3 } from "../../../src/devnet/Essentials.ts"
import * as Artifacts from "../../../src/devnet/market/Artifacts.ts"
import { type MarketToken, venuesOf } from "../../../src/devnet/market/Market.ts"
import * as Plan from "../../../src/devnet/market/Plan.ts"
import type { Call } from "../../../src/devnet/market/Venues.ts"
import type * as Address from "../../../src/domain/Address.ts"
import type { Chain } from "../../../src/domain/Chain.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { FeeValue, type UnpaidFee } from "../../../src/ports/orchestrator/FeeValue.ts"
import { Prices } from "../../../src/ports/orchestrator/Prices.ts"
import { type ChainClient, Chains } from "../../../src/ports/shared/Chains.ts"
import { unpaidBy } from "../../ports/orchestrator/FeeValue.suite.ts"
import * as Pools from "../../support/Pools.ts"
import { withLiveClock } from "../../support/LiveClock.ts"

export const WHOLE = 10n ** 18n
const TAX_BPS = 1_000
export const CHAIN = { id: 31337, name: "source" } as const
export const HOLDER = Accounts.users()[0]?.address ?? Accounts.relayers()[0].address

/** A token worth a dollar with one pool, which nobody lists. */
const traded = (symbol: string, usd: number, kind: MarketToken["kind"] = "plain"): MarketToken => ({
  symbol,
  form: "string",
  decimals: 18,
  kind,
  taxBps: kind === "taxed" ? TAX_BPS : 0,
  usd: WHOLE,
  isListed: false,
  isPriced: false,
  amount: 1_000n * WHOLE,
  amountUsd: 1_000,
  into: "USDC",
  pools: [{ venue: "pancakeswap-v2", money: "USDC", kind: 0, usd }]
})

export class Scene extends Context.Service<Scene, { readonly dev: DevChain.DevChain; readonly plan: Plan.Plan }>()(
  "sweep/test/VenueScene"
) {
  static readonly layer = Layer.effect(
    Scene,
    withLiveClock(
      Effect.gen(function* () {
        const tokens = [
          traded("DEEP", 100_000),
          traded("THIN", 150),
          traded("HELD", 150),
          traded("TAXED", 100_000, "taxed"),
          traded("GROWING", 100_000, "rebasing"),
          traded("FILLED", 15),
          traded("EMPTIED", 100_000)
        ]
        const market = { name: CHAIN.name, shape: "bnb", venues: venuesOf("bnb"), tokens } as const
        const plan = Plan.make(market, CHAIN, yield* Artifacts.load, [HOLDER])
        const { chain, listed, pools, routers, venues } = plan
        const extras = { before: venues, after: pools, routers, chain, tokens: listed }
        return { plan, dev: yield* DevChain.start({ ...CHAIN, extras }) }
      })
    )
  ).pipe(Layer.provide(BunServices.layer), Layer.orDie)
}

export const placed = Effect.fnUntraced(function* (symbol: string) {
  const { plan } = yield* Scene
  const found = plan.tokens.find((each) => each.symbol === symbol)
  return found ?? (yield* Effect.die(`no token ${symbol}`))
})

/** Prices that do not depend on the ages of pools. */
const prices = Layer.succeed(Prices, {
  usd: () => Effect.succeed(new Map([[NATIVE, 3_000n * WHOLE]])),
  detailed: () => Effect.die("not asked for")
})

/** Changes the answers of the chain's nodes. */
export type OfNodes = (client: ChainClient) => ChainClient

/**
 * Makes `worthOf(symbol, holder, unpaid)` on the chain after a change: wei that 30 tokens, worth 0.01 units of native currency, count for.
 * "paid": the fee recipient has them.
 */
export const valuing = Effect.fnUntraced(function* (
  change: (chain: Chain) => Chain = (chain) => chain,
  ofNodes: OfNodes = (client) => client,
  fetch = globalThis.fetch
) {
  const { dev } = yield* Scene
  const changed = Effect.map(Chains, ({ all, get }) =>
    Chains.of({ all: all.map(ofNodes), get: (id) => Effect.map(get(id), ofNodes) })
  )
  const chains = Layer.effect(Chains, changed).pipe(
    Layer.provide(EvmChains.layer([{ chain: change(dev.chain), rpcUrls: [dev.rpcUrl] }])),
    Layer.provide(FetchHttpClient.layer),
    Layer.provide(Layer.succeed(FetchHttpClient.Fetch, fetch))
  )
  const fees = FeeSale.layer(2_000).pipe(
    Layer.provide(prices),
    Layer.provide(PoolMarkets.layer()),
    Layer.provide(RelayerKeys.layer([Accounts.relayers()[0].address])),
    Layer.provideMerge(chains)
  )
  const context = yield* Layer.build(fees)
  const client = yield* Context.get(context, Chains).get(CHAIN.id)
  return Effect.fnUntraced(function* (symbol: string, holder = HOLDER, unpaid: UnpaidFee | "paid" = unpaidBy(holder)) {
    const { address } = yield* placed(symbol)
    const { realisable } = Context.get(context, FeeValue)
    return yield* realisable(client, address, 30n * WHOLE, unpaid === "paid" ? undefined : unpaid)
  })
})

/** The same, valued once. */
export const worth = (symbol: string, change?: (chain: Chain) => Chain, holder?: Address.Address, ofNodes?: OfNodes) =>
  Effect.flatMap(valuing(change, ofNodes), (worthOf) => worthOf(symbol, holder))

/** Blocks are a quarter of an hour apart. */
export const BLOCK_SECONDS = 900

/** Makes calls by Multicall3, which has the shares of the pools, in the next block. Anyone may. */
export const byMulticall3 = Effect.fnUntraced(function* (calls: ReadonlyArray<Call>) {
  const { dev } = yield* Scene
  const data = encodeFunctionData({
    abi: multicall3Abi,
    functionName: "aggregate3",
    args: [calls.map((call) => ({ ...call, allowFailure: false }))]
  })
  yield* dev.node.ask("keep the pace of blocks", (client) => client.increaseTime({ seconds: BLOCK_SECONDS }))
  yield* Pools.send(dev, "calls by Multicall3", MULTICALL3, data)
})
