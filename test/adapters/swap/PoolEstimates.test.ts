/** Estimates of sales over a node whose pools a test makes. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { decodeFunctionData, encodeFunctionResult, getAbiItem, getAddress, multicall3Abi, parseAbi } from "viem"
import type * as ListedRouters from "../../../src/adapters/swap/ListedRouters.ts"
import * as PairRouters from "../../../src/adapters/swap/PairRouters.ts"
import * as PoolEstimates from "../../../src/adapters/swap/PoolEstimates.ts"
import { KnownPools } from "../../../src/adapters/swap/KnownPools.ts"
import * as Venues from "../../../src/adapters/swap/Venues.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { Chains, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { address, chain as template, client } from "../../support/FakeChain.ts"

const aggregateAbi = [getAbiItem({ abi: multicall3Abi, name: "aggregate3" })]
const quoterAbi = parseAbi([
  "struct Params { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }",
  "function quoteExactInputSingle(Params params) returns (uint256 amountOut, uint160 price, uint32 ticks, uint256 gas)"
])

const V2 = address(0x21)
const V3 = address(0x22)
const QUOTER = address(0xc1)
const [USDC = V2, USDT = V2] = template.stables
const TOKEN = address(0x71)
const OTHER = address(0x72)
const HOSTILE = address(0x73)

const chain = {
  ...template,
  swapRouter: V3,
  quoter: QUOTER,
  venues: [{ name: "pairs", family: "uniswap-v2", router: V2 } as const]
}

/** Output of an exchange's pool; undefined for a pool that does not exist. */
type Pools = (
  exchange: "v2" | "v3",
  tokenIn: Address.Address,
  tokenOut: Address.Address,
  amountIn: bigint
) => bigint | undefined

const answerOf = (pools: Pools, target: Address.Address, data: Hex): Hex | undefined => {
  if (target === V2) {
    const { args } = decodeFunctionData({ abi: PairRouters.uniswapV2RouterAbi, data })
    const [amountIn, path] = args as [bigint, ReadonlyArray<Hex>]
    const [tokenIn = V2, tokenOut = V2] = path.map(Address.of)
    const amount = pools("v2", tokenIn, tokenOut, amountIn)
    return amount === undefined
      ? undefined
      : encodeFunctionResult({
          abi: PairRouters.uniswapV2RouterAbi,
          functionName: "getAmountsOut",
          result: [amountIn, amount]
        })
  }
  const { args } = decodeFunctionData({ abi: quoterAbi, data })
  const { amountIn, fee, tokenIn, tokenOut } = args[0]
  const amount = fee === 3_000 ? pools("v3", Address.of(tokenIn), Address.of(tokenOut), amountIn) : undefined
  return amount === undefined
    ? undefined
    : encodeFunctionResult({ abi: quoterAbi, functionName: "quoteExactInputSingle", result: [amount, 0n, 0, 0n] })
}

const scene = Effect.fnUntraced(function* (
  pools: Pools,
  options: { readonly hasServices?: boolean; readonly listed?: ReadonlyArray<Address.Address> } = {}
) {
  /** Tokens of each call. */
  const calls: Array<ReadonlyArray<Address.Address>> = []
  let reads = 0
  const node = {
    ...client({
      call: ({ data }) =>
        Effect.gen(function* () {
          const { args } = decodeFunctionData({ abi: aggregateAbi, data: data ?? "0x" })
          reads += args[0].length
          const tokens = [TOKEN, OTHER, HOSTILE].filter((token) => data?.includes(token.slice(2).toLowerCase()))
          calls.push(tokens)
          if (tokens.includes(HOSTILE))
            return yield* new ChainUnavailable({ chainId: chain.id, method: "eth_call", detail: "out of gas" })
          const result = args[0].map(({ callData, target }) => {
            const returned = answerOf(pools, getAddress(target) as Address.Address, callData)
            return { success: returned !== undefined, returnData: returned ?? ("0x" as const) }
          })
          return encodeFunctionResult({ abi: aggregateAbi, functionName: "aggregate3", result })
        })
    }),
    chain
  }
  const chains = Chains.of({ all: [node], get: () => Effect.succeed(node) })
  const usable = new Set(options.listed ?? [V2])
  const listed: ReturnType<typeof ListedRouters.make> = { of: () => Effect.succeed(usable) }
  const estimates = yield* Effect.gen(function* () {
    const sources = yield* Effect.provide(Venues.make, KnownPools.layer)
    return yield* PoolEstimates.make({ sources, listed, hasServices: options.hasServices ?? false })
  }).pipe(Effect.provideService(Chains, chains))
  return {
    calls,
    reads: () => reads,
    of: (token: Address.Address, amount = 1_000n, isListed = true) =>
      Effect.map(estimates.of(chain.id, [{ token, amount, isListed }]), (found) => found.get(token)),
    all: (tokens: ReadonlyArray<Address.Address>, isListed: (token: Address.Address) => boolean) =>
      estimates.of(
        chain.id,
        tokens.map((token) => ({ token, amount: 1_000n, isListed: isListed(token) }))
      )
  }
})

const paid = (...outputs: ReadonlyArray<readonly [Address.Address, bigint]>) => ({
  _tag: "Paid" as const,
  outputs: outputs.map(([token, amount]) => ({ token, amount }))
})

describe("the estimate of a sale", () => {
  it.effect("is the best output of all exchanges in each money token", () =>
    Effect.gen(function* () {
      const { of } = yield* scene((exchange, _tokenIn, tokenOut) =>
        tokenOut === USDC ? (exchange === "v2" ? 90n : 80n) : tokenOut === USDT && exchange === "v3" ? 70n : undefined
      )
      assert.deepStrictEqual(yield* of(TOKEN), paid([USDC, 90n], [USDT, 70n]))
    })
  )

  it.effect("is that no exchange buys the token, which is not said of listed ones while services are asked, too", () =>
    Effect.gen(function* () {
      const none = () => undefined
      assert.deepStrictEqual(yield* (yield* scene(none)).of(TOKEN), { _tag: "NoRoute" })
      const { of } = yield* scene(none, { hasServices: true })
      assert.isUndefined(yield* of(TOKEN))
      assert.deepStrictEqual(yield* of(OTHER, 1_000n, false), { _tag: "NoRoute" })
    })
  )

  it.effect("does not come from exchanges that the guard does not list", () =>
    Effect.gen(function* () {
      const { of } = yield* scene((exchange) => (exchange === "v2" ? 90n : undefined), { listed: [] })
      assert.deepStrictEqual(yield* of(TOKEN), { _tag: "NoRoute" })
    })
  )

  it.effect("is kept for some seconds, and then only the pools that paid are asked", () =>
    Effect.gen(function* () {
      const { calls, of, reads } = yield* scene((exchange, _tokenIn, tokenOut) =>
        exchange === "v2" && tokenOut === USDC ? 90n : undefined
      )
      assert.deepStrictEqual(yield* of(TOKEN), paid([USDC, 90n]))
      const cold = reads()
      assert.strictEqual(cold, 3 * 5)
      assert.deepStrictEqual(yield* of(TOKEN, 500n), paid([USDC, 45n]))
      assert.strictEqual(calls.length, 1)
      yield* of(TOKEN, 2_000n)
      assert.strictEqual(reads(), cold + 1)
      yield* TestClock.adjust("20 seconds")
      yield* of(TOKEN)
      assert.strictEqual(reads(), cold + 2)
      // New pools are found.
      yield* TestClock.adjust("11 minutes")
      yield* of(TOKEN)
      assert.strictEqual(reads(), 2 * cold + 2)
    })
  )

  it.effect("of a balance that no pool has money for says nothing about a smaller one", () =>
    Effect.gen(function* () {
      const { of, reads } = yield* scene((exchange, _tokenIn, tokenOut, amountIn) =>
        exchange === "v3" && tokenOut === USDC && amountIn <= 5_000n ? (amountIn * 9n) / 10n : undefined
      )
      assert.deepStrictEqual(yield* of(TOKEN, 1_000_000n), { _tag: "NoRoute" })
      assert.deepStrictEqual(yield* of(TOKEN, 1_000n), paid([USDC, 900n]))
      // Nor does it replace the output that is known.
      assert.deepStrictEqual(yield* of(TOKEN, 1_000_000n), { _tag: "NoRoute" })
      const before = reads()
      assert.deepStrictEqual(yield* of(TOKEN, 1_000n), paid([USDC, 900n]))
      assert.strictEqual(reads(), before)
    })
  )

  it.effect("does not come from the one pool that buys a far larger balance", () =>
    Effect.gen(function* () {
      const { of } = yield* scene((exchange, _tokenIn, tokenOut, amountIn) =>
        tokenOut !== USDC ? undefined : exchange === "v2" ? 5n : amountIn <= 5_000n ? 900n : undefined
      )
      assert.deepStrictEqual(yield* of(TOKEN, 1_000_000n), paid([USDC, 5n]))
      assert.deepStrictEqual(yield* of(TOKEN, 1_000n), paid([USDC, 900n]))
    })
  )

  it.effect("does not come from the one pool that buys a far smaller balance", () =>
    Effect.gen(function* () {
      const { of, reads } = yield* scene((exchange, _tokenIn, tokenOut, amountIn) => {
        if (tokenOut !== USDC) return undefined
        if (exchange === "v2") return amountIn < 50n ? amountIn : 50n
        return amountIn < 100n ? undefined : (amountIn * 9n) / 10n
      })
      assert.deepStrictEqual(yield* of(TOKEN, 10n), paid([USDC, 10n]))
      const cold = reads()
      assert.deepStrictEqual(yield* of(TOKEN, 1_000_000n), paid([USDC, 900_000n]))
      assert.strictEqual(reads(), 2 * cold)
      // The larger reading counts from now on.
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(yield* of(TOKEN, 1_000_000n), paid([USDC, 900_000n]))
      assert.isBelow(reads(), 3 * cold)
    })
  )

  it.effect("of a balance that grows is asked of all pools again above twice the amount that they were asked for", () =>
    Effect.gen(function* () {
      const { of, reads } = yield* scene((exchange, _tokenIn, tokenOut) =>
        exchange === "v2" && tokenOut === USDC ? 90n : undefined
      )
      yield* of(TOKEN, 1_000n)
      const cold = reads()
      yield* of(TOKEN, 1_900n)
      yield* of(TOKEN, 2_000n)
      assert.strictEqual(reads(), cold + 2)
      yield* of(TOKEN, 2_001n)
      assert.strictEqual(reads(), 2 * cold + 2)
    })
  )

  it.effect("of balances of different sizes is asked of the best pools for each size", () =>
    Effect.gen(function* () {
      const { of, reads } = yield* scene((exchange, _tokenIn, tokenOut, amountIn) => {
        if (tokenOut !== USDC) return undefined
        return exchange === "v2" ? 50n : amountIn < 10_000n ? undefined : (amountIn * 9n) / 10n
      })
      yield* of(TOKEN, 1_000n)
      yield* of(TOKEN, 1_000_000n)
      const cold = reads()
      yield* TestClock.adjust("20 seconds")
      for (const [amount, out] of [
        [1_000n, 50n],
        [1_000_000n, 900_000n],
        [1_000n, 50n]
      ] as const)
        assert.deepStrictEqual(yield* of(TOKEN, amount), paid([USDC, out]))
      // The large balance has two pools.
      assert.strictEqual(reads(), cold + 1 + 2 + 1)
    })
  )

  it.effect("of a balance that no pool buys does not forget the pools of a smaller one", () =>
    Effect.gen(function* () {
      const { of, reads } = yield* scene((exchange, _tokenIn, tokenOut, amountIn) =>
        exchange === "v3" && tokenOut === USDC && amountIn <= 5_000n ? 900n : undefined
      )
      yield* of(TOKEN, 1_000n)
      yield* of(TOKEN, 1_000_000n)
      const cold = reads()
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(yield* of(TOKEN, 1_000n), paid([USDC, 900n]))
      assert.strictEqual(reads(), cold + 1)
    })
  )

  it.effect("of a token without a pool is not read again for each amount", () =>
    Effect.gen(function* () {
      const { calls, of } = yield* scene(() => undefined)
      for (const amount of [1_000_000n, 10n, 500n, 900_000n, 7n]) {
        assert.deepStrictEqual(yield* of(TOKEN, amount), { _tag: "NoRoute" })
      }
      assert.strictEqual(calls.length, 2)
    })
  )

  it.effect("does not depend on unlisted tokens, whose code may burn the gas of a call", () =>
    Effect.gen(function* () {
      const { all, calls } = yield* scene(() => 5n)
      const found = yield* all([TOKEN, HOSTILE, OTHER], (token) => token === TOKEN)
      assert.deepStrictEqual([...found.keys()], [TOKEN, OTHER])
      assert.deepStrictEqual(calls, [[TOKEN], [HOSTILE], [OTHER]])
    })
  )

  it.effect("is bounded in number", () =>
    Effect.gen(function* () {
      const { all, calls, reads } = yield* scene(() => 5n)
      const tokens = Array.from({ length: 200 }, (_, index) =>
        Address.of(`0x${(index + 1).toString(16).padStart(40, "0")}`)
      )
      const found = yield* all(tokens, () => true)
      assert.strictEqual(found.size, 40)
      assert.strictEqual(reads(), 600)
      assert.isAtMost(calls.length, 14)
      // The next portfolio asks for the others.
      yield* TestClock.adjust("1 second")
      assert.isAbove((yield* all(tokens, () => true)).size, 60)
    })
  )
})
