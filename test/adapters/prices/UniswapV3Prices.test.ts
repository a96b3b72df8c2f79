import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import { decodeFunctionData, encodeFunctionData, encodeFunctionResult, maxUint256, parseAbi } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { roundTrips } from "../../../src/adapters/evm/abi/simulation.generated.ts"
import * as UniswapV3Prices from "../../../src/adapters/prices/UniswapV3Prices.ts"
import * as Accounts from "../../../src/devnet/Accounts.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { type ChainClient, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
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
        const { anvil, fund, tokens, uniswap } = yield* OneChain
        const before = yield* priceOf(tokens.BLK, 18)
        assert.isTrue(before !== undefined && before > 199n * (USD / 100n) && before <= 2n * USD, String(before))

        const [user] = Accounts.users()
        if (user === undefined) return assert.fail("no user")
        const account = privateKeyToAccount(user.privateKey)
        const swap = (tokenIn: Address.Address, tokenOut: Address.Address, fee: number, amountIn: bigint) =>
          anvil.ask("swap", async (client) => {
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

/** A market that sells `numerator` / `denominator` units of `to` for one of `from`. */
type Markets = Readonly<Record<string, readonly [bigint, bigint]>>

const market = (from: Address.Address, to: Address.Address) => `${from}>${to}`

/** A node that reads one pool of each market, as the contract does. Rates of 0 stand for no pool. */
const quoting = (markets: Markets, calls: Ref.Ref<number>): Partial<ChainClient> => ({
  call: ({ data }) =>
    Effect.gen(function* () {
      yield* Ref.update(calls, (count) => count + 1)
      const { args, functionName } = decodeFunctionData({ abi: roundTrips.abi, data })
      if (functionName !== "run") return assert.fail(functionName)
      const [{ native, stable, stables, tokens }] = args
      const paid = (from: Hex, to: Hex, amount: bigint): bigint => {
        const [numerator, denominator] = markets[market(Address.of(from), Address.of(to))] ?? [0n, 1n]
        return (amount * numerator) / denominator
      }
      const readingOf = (token: Hex, money: typeof stable) => {
        const bought = paid(money.token, token, money.amount)
        const returned = paid(token, money.token, bought)
        return {
          pool: FakeChain.address(0xe5),
          money: money.token,
          fee: 500,
          bought,
          returned,
          depth: 10_000n * returned,
          tick: 0,
          meanTick: 0,
          liquidity: 1n,
          meanLiquidity: 1n,
          hasMean: true,
          oldest: 0
        }
      }
      const readingsOf = (token: Hex, monies: ReadonlyArray<typeof stable>) =>
        monies.map((money) => readingOf(token, money)).filter(({ returned }) => returned > 0n)
      const measured = native.amount === 0n ? readingsOf(native.token, [stable]) : []
      const amount = native.amount === 0n ? (measured[0]?.bought ?? 0n) : native.amount
      const monies = amount > 0n ? [stable, { ...native, amount }] : [stable]
      return encodeFunctionResult({
        abi: roundTrips.abi,
        functionName: "run",
        result: [
          1_000_000n,
          amount,
          measured,
          stables.map((token) => readingsOf(token, [stable])),
          tokens.map((token) => readingsOf(token, monies))
        ]
      })
    })
})

describe("UniswapV3Prices", () => {
  const [unit, otherStable] = [FakeChain.address(0xd1), FakeChain.address(0xd2)]
  const token = FakeChain.address(0xb1)
  const weth = FakeChain.chain.wrappedNative
  const both = (a: Address.Address, b: Address.Address, rate: readonly [bigint, bigint]): Markets => ({
    [market(a, b)]: rate,
    [market(b, a)]: [rate[1], rate[0]]
  })
  const E12 = 10n ** 12n
  const fair = {
    ...both(unit, weth, [E12, 2_000n]),
    ...both(unit, otherStable, [1n, 1n]),
    ...both(unit, token, [E12, 4n])
  }
  const run = <A, E>(
    markets: Markets,
    effect: Effect.Effect<A, E, Prices>,
    options: UniswapV3Prices.Options = {}
  ): Effect.Effect<readonly [A, number], E> =>
    Effect.gen(function* () {
      const calls = yield* Ref.make(0)
      const adapter = UniswapV3Prices.layer(options).pipe(Layer.provide(FakeChain.layer(quoting(markets, calls))))
      return [yield* effect.pipe(Effect.provide(adapter)), yield* Ref.get(calls)] as const
    })

  it.effect("scales exactly, whatever the decimals", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* run(fair, priceOf(token, 18)))[0], 4n * USD)
      assert.deepStrictEqual((yield* run(fair, priceOf(weth, 18)))[0], 2_000n * USD)
      assert.deepStrictEqual((yield* run(fair, priceOf(unit, 6)))[0], USD)
    })
  )

  it.effect("prices what the token sells for, with its cost", () =>
    Effect.gen(function* () {
      const [price] = yield* run({ ...fair, [market(token, unit)]: [396n, 100n * E12] }, priceOf(token, 18))
      assert.strictEqual(price, (396n * USD) / 100n)
    })
  )

  it.effect("has no price where a round trip loses more than the tolerance, or wins", () =>
    Effect.gen(function* () {
      const selling = (rate: bigint) => ({ ...fair, [market(token, unit)]: [rate, 1_000n * E12] as const })
      for (const [rate, priced] of [
        [3_799n, false],
        [3_800n, true],
        [4_000n, true],
        [4_001n, false]
      ] as const) {
        const [price] = yield* run(selling(rate), priceOf(token, 18))
        assert.strictEqual(price !== undefined, priced, String(rate))
      }
      const oneWay: Markets = { ...both(unit, weth, [E12, 2_000n]), [market(unit, token)]: [E12, 4n] }
      assert.isUndefined((yield* run(oneWay, priceOf(token, 18)))[0])
    })
  )

  it.effect("is unavailable when no other stable stands near the unit", () =>
    Effect.gen(function* () {
      const depegged = { ...fair, ...both(unit, otherStable, [100n, 106n]) }
      const error = yield* Effect.flip(run(depegged, priceOf(token, 18)))
      assert.include(error.message, "disagree")
      const wobbling = { ...fair, ...both(unit, otherStable, [100n, 104n]) }
      assert.strictEqual((yield* run(wobbling, priceOf(token, 18)))[0], 4n * USD)
    })
  )

  it.effect("asks again only when its answer is too old, and together for what is asked at once", () =>
    Effect.gen(function* () {
      const [, calls] = yield* run(
        fair,
        Effect.gen(function* () {
          const service = yield* Prices
          const ask = service.usd(31337, [
            { address: token, decimals: 18 },
            { address: otherStable, decimals: 6 },
            { address: FakeChain.address(0xb9), decimals: 6 }
          ])
          yield* Effect.all([ask, ask, ask], { concurrency: "unbounded" })
          yield* ask
        })
      )
      assert.strictEqual(calls, 1)
      const [, later] = yield* run(
        fair,
        Effect.andThen(priceOf(token, 18), Effect.andThen(TestClock.adjust("1 minute"), priceOf(token, 18)))
      )
      assert.strictEqual(later, 2)
    })
  )

  it.effect("does not remember that a node was down", () =>
    Effect.gen(function* () {
      const down = yield* Ref.make(true)
      const node = quoting(fair, yield* Ref.make(0))
      const failing = new ChainUnavailable({ chainId: 31337, method: "eth_call", detail: "down" })
      const flaky = FakeChain.layer({
        call: (request) =>
          Effect.flatMap(Ref.get(down), (isDown) =>
            isDown ? Effect.fail(failing) : (node.call?.(request) ?? Effect.die("no call"))
          )
      })
      yield* Effect.gen(function* () {
        assert.include((yield* Effect.flip(priceOf(token, 18))).message, "down")
        yield* Ref.set(down, false)
        assert.strictEqual(yield* priceOf(token, 18), 4n * USD)
      }).pipe(Effect.provide(UniswapV3Prices.layer().pipe(Layer.provide(flaky))))
    })
  )
})
