import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import { decodeFunctionData, encodeFunctionResult } from "viem"
import { roundTrips } from "../../../src/adapters/evm/abi/simulation.generated.ts"
import * as UniswapV3Prices from "../../../src/adapters/prices/UniswapV3Prices.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { type ChainClient, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { Prices } from "../../../src/ports/orchestrator/Prices.ts"
import * as FakeChain from "../../support/FakeChain.ts"

const USD = 10n ** 18n

const priceOf = (address: Address.Address, decimals: number) =>
  Effect.map(
    Prices.use((prices) => prices.usd(31337, [{ address, decimals }])),
    (prices) => prices.get(address)
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
