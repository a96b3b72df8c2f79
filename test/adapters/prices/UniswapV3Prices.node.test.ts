/** Prices of Uniswap v3 pools on a real chain. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { encodeFunctionData, maxUint256, parseAbi } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import * as UniswapV3Prices from "../../../src/adapters/prices/UniswapV3Prices.ts"
import * as Accounts from "../../../src/devnet/Accounts.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { Prices } from "../../../src/ports/orchestrator/Prices.ts"
import * as PricesSuite from "../../ports/orchestrator/Prices.suite.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { chains, chainsWith, OneChain } from "../../support/OneChain.ts"

const USD = 10n ** 18n

PricesSuite.suite(
  "Uniswap v3 on a real chain",
  UniswapV3Prices.layer().pipe(Layer.provideMerge(chains)),
  Effect.map(OneChain, ({ tokens }) => ({
    chainId: 31337,
    priced: [
      { address: NATIVE, decimals: 18, usd: 3_000n * USD },
      { address: tokens.WETH, decimals: 18, usd: 3_000n * USD },
      { address: tokens.WBTC, decimals: 8, usd: 90_000n * USD },
      { address: tokens.USDC, decimals: 6, usd: USD },
      { address: tokens.USDT, decimals: 6, usd: USD },
      { address: tokens.DAI, decimals: 18, usd: USD },
      { address: tokens.BLK, decimals: 18, usd: 2n * USD }
    ],
    unpriced: { address: tokens.FOT, decimals: 18 },
    // The best pool of each token takes at most 0.3 % of a sale, and the wrapped native another 0.05 %.
    toleranceBps: 40n
  }))
)

const priceOf = (address: Address.Address, decimals: number) =>
  Effect.map(
    Prices.use((prices) => prices.usd(31337, [{ address, decimals }])),
    (prices) => prices.get(address)
  )

layer(UniswapV3Prices.layer({ cacheLifetime: "10 seconds" }).pipe(Layer.provideMerge(chains)))(
  "UniswapV3Prices on a real chain",
  (it) => {
    it.effect("finds a price by way of the wrapped native alone", () =>
      Effect.gen(function* () {
        const { tokens } = yield* OneChain
        // Of the stables, only USDC has a pool with WBTC.
        const withoutUsdc = chainsWith((chain) => ({ ...chain, stables: [tokens.USDT] }))
        const price = yield* priceOf(tokens.WBTC, 8).pipe(
          Effect.provide(UniswapV3Prices.layer().pipe(Layer.provide(withoutUsdc)))
        )
        assert.isTrue(price !== undefined && price > 88_500n * USD && price <= 90_000n * USD, String(price))
      })
    )

    it.effect("sees a market that was moved once its last answer is too old, and no price where pools disagree", () =>
      Effect.gen(function* () {
        const { node, fund, tokens, uniswap } = yield* OneChain
        const before = yield* priceOf(tokens.BLK, 18)
        assert.isTrue(before !== undefined && before > 199n * (USD / 100n) && before <= 2n * USD, String(before))

        const [user] = Accounts.users()
        if (user === undefined) return assert.fail("no user")
        const account = privateKeyToAccount(user.privateKey)
        const swap = (tokenIn: Address.Address, tokenOut: Address.Address, fee: number, amountIn: bigint) =>
          node.ask("swap", async (client) => {
            const send = (to: Address.Address, data: Hex) =>
              client.sendTransaction({ account, chain: client.chain, to, data })
            await send(
              tokenIn,
              encodeFunctionData({
                abi: parseAbi(["function approve(address,uint256) returns (bool)"]),
                args: [uniswap.swapRouter, maxUint256]
              })
            )
            const hash = await send(
              uniswap.swapRouter,
              encodeFunctionData({
                abi: parseAbi([
                  "struct Params { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }",
                  "function exactInputSingle(Params params) payable returns (uint256)"
                ]),
                args: [
                  {
                    tokenIn,
                    tokenOut,
                    fee,
                    recipient: user.address,
                    amountIn,
                    amountOutMinimum: 0n,
                    sqrtPriceLimitX96: 0n
                  }
                ]
              })
            )
            const receipt = await client.waitForTransactionReceipt({ hash })
            assert.strictEqual(receipt.status, "success")
          })

        // BLK has one pool. Buying half of its dollars moves its price, which looks like a normal price change.
        yield* fund(user.address, { token: "USDC", amount: 300_000_000n * 10n ** 6n })
        yield* swap(tokens.USDC, tokens.BLK, 3_000, 300_000_000n * 10n ** 6n)
        assert.strictEqual(yield* priceOf(tokens.BLK, 18), before)
        yield* TestClock.adjust("10 seconds")
        const after = yield* priceOf(tokens.BLK, 18)
        assert.isTrue(after !== undefined && after > 7n * USD, String(after))

        // WBTC has two pools. If one is manipulated, a round trip over both gains, so there is no price.
        yield* fund(user.address, { token: "WBTC", amount: 1_000n * 10n ** 8n })
        yield* swap(tokens.WBTC, tokens.USDC, 3_000, 1_000n * 10n ** 8n)
        yield* TestClock.adjust("10 seconds")
        assert.isUndefined(yield* priceOf(tokens.WBTC, 8))
      })
    )
  }
)

layer(OneChain.layer)(
  "UniswapV3Prices with pools that are too thin for what is asked of them, on a real chain",
  (it) => {
    it.effect("has no price for a market that the probe would move by more than the tolerance", () =>
      Effect.gen(function* () {
        const { tokens } = yield* OneChain
        const bold = UniswapV3Prices.layer({ probeUsd: 50_000_000n }).pipe(Layer.provide(chainsWith((chain) => chain)))
        assert.isUndefined(yield* priceOf(tokens.WBTC, 8).pipe(Effect.provide(bold)))
      })
    )

    it.effect("is unavailable on a chain without a quoter, a stable, or configuration", () =>
      Effect.gen(function* () {
        for (const change of [{ quoter: Address.zero }, { stables: [] }, { tokens: [] }]) {
          const broken = UniswapV3Prices.layer().pipe(
            Layer.provide(
              chainsWith(({ quoter = Address.zero, ...chain }) =>
                "quoter" in change ? chain : { ...chain, quoter, ...change }
              )
            )
          )
          const error = yield* Effect.flip(priceOf(FakeChain.address(1), 18).pipe(Effect.provide(broken)))
          assert.include(error.message, "no quoter, or its first stable")
        }
        const elsewhere = Prices.use((prices) => prices.usd(5, [{ address: NATIVE, decimals: 18 }]))
        const adapter = UniswapV3Prices.layer().pipe(Layer.provide(chainsWith((chain) => chain)))
        assert.strictEqual((yield* Effect.flip(elsewhere.pipe(Effect.provide(adapter))))._tag, "PricesUnavailable")
      })
    )
  }
)
