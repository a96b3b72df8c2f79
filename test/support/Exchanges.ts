/** A local chain with more exchanges than Uniswap v3: a small market on each, at prices of its own. */
import { Context, Effect, Layer } from "effect"
import * as Artifacts from "../../src/devnet/Artifacts.ts"
import * as DevExchanges from "../../src/devnet/Exchanges.ts"
import { run, Script } from "../../src/devnet/Script.ts"
import { type Symbol, TOKENS, units } from "../../src/devnet/Tokens.ts"
import { openPool } from "../../src/devnet/Uniswap.ts"
import * as UniswapV4 from "../../src/devnet/UniswapV4.ts"
import * as Address from "../../src/domain/Address.ts"
import { OneChain } from "./OneChain.ts"
import { withLiveClock } from "./LiveClock.ts"
import { address } from "./FakeChain.ts"

export interface ExchangesShape {
  readonly v2: DevExchanges.UniswapV2
  readonly v3: DevExchanges.UniswapV3
  readonly v4: UniswapV4.UniswapV4
}

type Priced = Exclude<Symbol, "FOT">

/** Deploys the exchanges, by an account of its own. */
const deployer = address(0xd1)

const sideOf = (one: OneChain["Service"], symbol: Priced, usd: bigint) => ({
  token: one.tokens[symbol],
  amount: units(symbol, usd) / TOKENS[symbol].usd
})

const setUp = Effect.gen(function* () {
  const one = yield* OneChain
  const artifacts = yield* Artifacts.load
  const script = new Script(deployer)
  yield* one.node.ask("endow", (client) => client.setBalance({ address: deployer, value: 10n ** 24n }))
  const gifts: ReadonlyArray<readonly [Symbol, bigint]> = [
    ["WETH", 2_000n],
    ["USDC", 10_000_000n],
    ["USDT", 10_000_000n],
    ["DAI", 10_000_000n],
    ["WBTC", 100n],
    ["FOT", 1_000_000n]
  ]
  for (const [token, whole] of gifts) yield* one.fund(deployer, { token, amount: units(token, whole) })
  const v2 = DevExchanges.deployV2(script, artifacts, one.tokens)
  const v3 = DevExchanges.deployV3(script, artifacts, one.tokens)
  const v4 = UniswapV4.deploy(script, yield* UniswapV4.load, one.tokens)
  const symbols: ReadonlyArray<Symbol> = ["WETH", "USDC", "USDT", "DAI", "WBTC", "FOT"]
  for (const spender of [v2.router, v3.positionManager, v4.liquidity]) {
    DevExchanges.approve(
      script,
      symbols.map((symbol) => one.tokens[symbol]),
      spender
    )
  }
  const pairs: ReadonlyArray<readonly [Priced, Priced]> = [
    ["WETH", "USDC"],
    ["DAI", "USDC"],
    ["WBTC", "WETH"]
  ]
  for (const [a, b] of pairs)
    DevExchanges.openPair(script, v2, [sideOf(one, a, 1_000_000n), sideOf(one, b, 1_000_000n)])
  // Uniswap v3 cannot trade it.
  DevExchanges.openPair(script, v2, [
    { token: one.tokens.FOT, amount: units("FOT", 100_000n) },
    sideOf(one, "USDC", 100_000n)
  ])
  const pools = [
    ["WETH", "USDC", 2500],
    ["DAI", "USDC", 100]
  ] as const
  for (const [a, b, fee] of pools) {
    const sides = [sideOf(one, a, 1_000_000n), sideOf(one, b, 1_000_000n)] as const
    openPool(script, v3.positionManager, { label: `${a}/${b}`, fee, sides })
  }
  // Native currency is a currency of its own in Uniswap v4.
  const native = { ...sideOf(one, "WETH", 1_000_000n), token: Address.zero }
  UniswapV4.openPool(script, v4, { fee: 500, tickSpacing: 10 }, [native, sideOf(one, "USDC", 1_000_000n)])
  UniswapV4.openPool(script, v4, { fee: 100, tickSpacing: 1 }, [
    sideOf(one, "DAI", 1_000_000n),
    sideOf(one, "USDC", 1_000_000n)
  ])
  UniswapV4.openPool(script, v4, { fee: 3_000, tickSpacing: 60 }, [
    sideOf(one, "WBTC", 1_000_000n),
    sideOf(one, "WETH", 1_000_000n)
  ])
  yield* run(one.node, script)
  return { v2, v3, v4 } satisfies ExchangesShape
})

export class Exchanges extends Context.Service<Exchanges, ExchangesShape>()("sweep/test/Exchanges") {
  static readonly layer = Layer.effect(Exchanges, withLiveClock(setUp)).pipe(Layer.orDie)
}
