/** Reads of exchanges whose routers quote along pairs: paths without a pair are asked only while nothing is known about them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import {
  decodeFunctionData,
  encodeFunctionData,
  encodeFunctionResult,
  getAbiItem,
  type Hex,
  multicall3Abi,
  parseAbi
} from "viem"
import type * as OnChainVenue from "../../../src/adapters/swap/OnChainVenue.ts"
import * as PairRouters from "../../../src/adapters/swap/PairRouters.ts"
import * as PoolLookups from "../../../src/adapters/swap/PoolLookups.ts"
import * as PoolMemory from "../../../src/adapters/swap/PoolMemory.ts"
import * as Address from "../../../src/domain/Address.ts"
import { address, client } from "../../support/FakeChain.ts"

const [TOKEN, HOP, OUT] = [address(1), address(2), address(3)]
const [ROUTER, FACTORY, PAIR] = [address(0xa1), address(0xa2), address(0xa3)]
const PATHS_V2 = 2
const PATHS_SOLIDLY = 6
const AMOUNTS = [600n, 900n, 1_000n]

const aggregateAbi = [getAbiItem({ abi: multicall3Abi, name: "aggregate3" })]
const factoryAbi = parseAbi([
  "function factory() view returns (address)",
  "function getPair(address tokenA, address tokenB) view returns (address pair)",
  "function getPool(address tokenA, address tokenB, bool stable) view returns (address pool)"
])

/** The direct pair alone exists; of two kinds, the one that is not stable. It pays as much as it gets. */
const answer = (to: Address.Address, data: Hex): Hex => {
  if (to === ROUTER && data !== encodeFunctionData({ abi: factoryAbi, functionName: "factory" })) {
    const abi = [PairRouters.uniswapV2RouterAbi, PairRouters.solidlyRouterAbi].flat()
    const [amount, list] = decodeFunctionData({ abi, data }).args
    const tokens = (list as ReadonlyArray<unknown>).filter((each) => typeof each === "string").length
    const hops = tokens > 0 ? tokens - 1 : (list as ReadonlyArray<unknown>).length
    return hops === 1
      ? encodeFunctionResult({
          abi: PairRouters.uniswapV2RouterAbi,
          functionName: "getAmountsOut",
          result: [amount, amount]
        })
      : "0x"
  }
  const call = decodeFunctionData({ abi: factoryAbi, data })
  if (call.functionName === "factory") {
    return encodeFunctionResult({ abi: factoryAbi, functionName: "factory", result: FACTORY })
  }
  const [first, second, stable] = call.args
  const exists = [first, second].every((token) => token === TOKEN || token === OUT) && stable !== true
  return encodeFunctionResult({ abi: factoryAbi, functionName: "getPair", result: exists ? PAIR : address(0) })
}

/** A chain that counts the reads of the router in each call of Multicall3. */
const counting = () => {
  const calls: Array<{ readonly quotes: number; readonly others: number }> = []
  const fake = client({
    call: ({ data }) =>
      Effect.sync(() => {
        const { args } = decodeFunctionData({ abi: aggregateAbi, data: data ?? "0x" })
        const answers = args[0].map(({ callData, target }) => answer(Address.of(target), callData))
        const quotes = args[0].filter(({ target, callData }) => Address.of(target) === ROUTER && callData.length > 10)
        calls.push({ quotes: quotes.length, others: args[0].length - quotes.length })
        return encodeFunctionResult({
          abi: aggregateAbi,
          functionName: "aggregate3",
          result: answers.map((returnData) => ({ success: returnData !== "0x", returnData }))
        })
      })
  })
  return { calls, chain: { ...fake, chain: { ...fake.chain, wrappedNative: HOP, stables: [] } } }
}

const amountOut = ({ routeOf }: OnChainVenue.Reading) =>
  Option.map(
    routeOf({
      chainId: 1,
      tokenIn: TOKEN,
      tokenOut: OUT,
      amountIn: 1_000n,
      sender: address(8),
      recipient: address(9),
      slippageBps: 50,
      deadline: 2n ** 40n
    }),
    (route) => route.amountOut
  )

const readTimes = Effect.fnUntraced(function* (exchange: OnChainVenue.Exchange, times: number) {
  const { calls, chain } = counting()
  for (let time = 0; time < times; time++) {
    const reading = yield* exchange.read(chain, { tokenIn: TOKEN, tokenOut: OUT }, AMOUNTS)
    assert.deepStrictEqual([reading.isEmpty, amountOut(reading)], [false, Option.some(1_000n)])
  }
  return calls
})

const CONTRACTS = { provider: "pairs", router: ROUTER }

describe("a router that quotes along pairs", () => {
  it.effect("is asked about every path until it names its factory, and then about pairs that exist", () =>
    Effect.gen(function* () {
      const calls = yield* readTimes(
        PairRouters.exchange(CONTRACTS, PairRouters.UNISWAP_V2, PoolMemory.make(PoolLookups.make())),
        3
      )
      assert.deepStrictEqual(calls, [
        // It names its factory beside.
        { quotes: PATHS_V2 * AMOUNTS.length, others: 1 },
        { quotes: 0, others: 3 },
        { quotes: AMOUNTS.length, others: 0 },
        { quotes: AMOUNTS.length, others: 0 }
      ])
    })
  )

  it.effect("is asked about pairs that exist alone if its factory is known", () =>
    Effect.gen(function* () {
      const calls = yield* readTimes(
        PairRouters.exchange(CONTRACTS, PairRouters.solidly(FACTORY), PoolMemory.make(PoolLookups.make())),
        2
      )
      assert.deepStrictEqual(calls, [
        { quotes: 0, others: PATHS_SOLIDLY },
        { quotes: AMOUNTS.length, others: 0 },
        { quotes: AMOUNTS.length, others: 0 }
      ])
    })
  )

  it.effect("is asked about every path once if it is alone on its chain, which spares a round trip", () =>
    Effect.gen(function* () {
      const calls = yield* readTimes(
        PairRouters.exchange(CONTRACTS, PairRouters.solidly(FACTORY), PoolMemory.make()),
        2
      )
      assert.deepStrictEqual(calls, [
        { quotes: PATHS_SOLIDLY * AMOUNTS.length, others: PATHS_SOLIDLY },
        { quotes: AMOUNTS.length, others: 0 }
      ])
    })
  )
})
