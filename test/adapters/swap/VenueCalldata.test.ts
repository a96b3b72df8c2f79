/** Calldata for exchanges of which no bytecode is at hand, against their published interfaces: Solidly and Slipstream. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  encodeFunctionResult,
  multicall3Abi,
  parseAbi,
  parseAbiParameters
} from "viem"
import { deadlinedRouterAbi, singleByTickSpacingAbi } from "../../../src/adapters/swap/DeadlinedRouter.ts"
import * as PairRouters from "../../../src/adapters/swap/PairRouters.ts"
import { KnownPools } from "../../../src/adapters/swap/KnownPools.ts"
import * as Venues from "../../../src/adapters/swap/Venues.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Chain } from "../../../src/domain/Chain.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import type * as Venue from "../../../src/domain/Venue.ts"
import type { SwapRequest } from "../../../src/ports/orchestrator/SwapVenue.ts"
import { Chains } from "../../../src/ports/shared/Chains.ts"
import { readVenueCall } from "../../../src/sdk/venues.ts"
import { Account, address as accountOf, Uint256 } from "../../domain/Arbitraries.ts"
import { address, chain, client } from "../../support/FakeChain.ts"

type Hops = ReadonlyArray<{ readonly from: Address.Address; readonly to: Address.Address }>

const tokensOf = (hops: Hops) => [...hops.slice(0, 1).map(({ from }) => from), ...hops.map(({ to }) => to)]

describe("a quote of a list of pools", () => {
  it.effect.prop(
    "is asked for as viem asks, along every path",
    [Account, Account, Account, Account, Uint256],
    (given) =>
      Effect.sync(() => {
        const [tokenIn, tokenOut] = [accountOf(given[0]), accountOf(given[1])]
        const [hop, factory, amountIn] = [accountOf(given[2]), accountOf(given[3]), given[4]]
        for (const path of PairRouters.candidates({ tokenIn, tokenOut }, [hop], () => [false, true])) {
          assert.strictEqual(
            PairRouters.UNISWAP_V2.quoteCall(path)(amountIn),
            encodeFunctionData({
              abi: PairRouters.uniswapV2RouterAbi,
              functionName: "getAmountsOut",
              args: [amountIn, tokensOf(path)]
            })
          )
          assert.strictEqual(
            PairRouters.solidly(factory).quoteCall(path)(amountIn),
            encodeFunctionData({
              abi: PairRouters.solidlyRouterAbi,
              functionName: "getAmountsOut",
              args: [amountIn, path.map((each) => ({ ...each, factory }))]
            })
          )
        }
      })
  )
})

const [TOKEN, OUT, WETH, USDC] = [address(0x11), address(0x12), chain.wrappedNative, address(0xd1)]
const [ROUTER, QUOTER, FACTORY] = [address(0x21), address(0x22), address(0x23)]

const request: SwapRequest = {
  chainId: chain.id,
  tokenIn: TOKEN,
  tokenOut: OUT,
  amountIn: 1_000n,
  sender: address(1),
  recipient: address(2),
  slippageBps: 100,
  deadline: 1_900_000_000n
}

/** Answers the reads of a Multicall3 one by one; none reverts. */
const answering =
  (answer: (to: Address.Address, data: Hex) => Hex | undefined) =>
  ({ data }: { readonly data: Hex }) =>
    Effect.sync(() => {
      const call = decodeFunctionData({ abi: multicall3Abi, data })
      if (call.functionName !== "aggregate3") throw new Error("another call")
      const results = call.args[0].map(({ callData, target }) => {
        const returned = answer(Address.of(target), callData)
        return { success: returned !== undefined, returnData: returned ?? "0x" }
      })
      return encodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", result: results })
    })

const routeWith = (
  venue: Venue.Venue,
  answer: (to: Address.Address, data: Hex) => Hex | undefined,
  asked = request
) => {
  const declared: Chain = { ...chain, venues: [venue] }
  const only = { ...client({ call: answering(answer) }), chain: declared }
  return Effect.gen(function* () {
    const source = (yield* Effect.provide(Venues.make, KnownPools.layer)).find(({ name }) => name === venue.name)
    if (source === undefined) return yield* Effect.die(new Error("the chain declares the venue"))
    const route = yield* (yield* source.prepare(asked))(asked)
    // The client of the owner reads the same terms.
    assert.deepStrictEqual(readVenueCall(route.target, route.calldata), {
      tokenIn: asked.tokenIn,
      amountIn: asked.amountIn,
      tokenOut: asked.tokenOut === NATIVE ? WETH : asked.tokenOut,
      minAmountOut: route.minAmountOut,
      recipient: asked.recipient,
      unwraps: asked.tokenOut === NATIVE
    })
    return route
  }).pipe(Effect.provideService(Chains, { all: [only], get: () => Effect.succeed(only) }))
}

const solidly: Venue.Venue = { name: "aerodrome", family: "solidly", router: ROUTER, factory: FACTORY }

type Pool = readonly [from: Address.Address, to: Address.Address, stable: boolean, percent: bigint]

/** The router of a market in which each pool pays its rate in percent. A pool that does not exist pays nothing. */
const market =
  (...pools: ReadonlyArray<Pool>) =>
  (to: Address.Address, data: Hex) => {
    if (to !== ROUTER) return undefined
    const call = decodeFunctionData({ abi: PairRouters.solidlyRouterAbi, data })
    if (call.functionName !== "getAmountsOut") return undefined
    const [amountIn, routes] = call.args
    const amounts = [amountIn]
    for (const route of routes) {
      assert.strictEqual(Address.of(route.factory), FACTORY)
      const pool = pools.find(
        ([from, next, stable]) =>
          from === Address.of(route.from) && next === Address.of(route.to) && stable === route.stable
      )
      amounts.push(((amounts.at(-1) ?? 0n) * (pool?.[3] ?? 0n)) / 100n)
    }
    return encodeAbiParameters(parseAbiParameters("uint256[]"), [amounts])
  }

describe("a venue of the Solidly family", () => {
  it.effect("takes the kind of pool that pays most, and swaps exactly that", () =>
    Effect.gen(function* () {
      const route = yield* routeWith(
        solidly,
        market([TOKEN, OUT, false, 90n], [TOKEN, OUT, true, 95n], [TOKEN, WETH, false, 100n])
      )
      assert.deepStrictEqual([route.provider, route.target, route.amountOut], ["aerodrome", ROUTER, 950n])
      assert.strictEqual(route.minAmountOut, 940n)
      assert.strictEqual(
        route.calldata,
        encodeFunctionData({
          abi: PairRouters.solidlyRouterAbi,
          functionName: "swapExactTokensForTokensSupportingFeeOnTransferTokens",
          args: [
            1_000n,
            940n,
            [{ from: TOKEN, to: OUT, stable: true, factory: FACTORY }],
            request.recipient,
            request.deadline
          ]
        })
      )
    })
  )

  it.effect("leads through a stablecoin to native currency, which the router unwraps", () =>
    Effect.gen(function* () {
      const route = yield* routeWith(
        solidly,
        market([TOKEN, USDC, true, 100n], [USDC, WETH, false, 50n], [TOKEN, WETH, false, 49n]),
        { ...request, tokenOut: NATIVE }
      )
      assert.strictEqual(route.amountOut, 500n)
      const { args, functionName } = decodeFunctionData({ abi: PairRouters.solidlyRouterAbi, data: route.calldata })
      assert.strictEqual(functionName, "swapExactTokensForETHSupportingFeeOnTransferTokens")
      assert.deepStrictEqual<unknown>(args[2], [
        { from: TOKEN, to: USDC, stable: true, factory: FACTORY },
        { from: USDC, to: WETH, stable: false, factory: FACTORY }
      ])
    })
  )

  it.effect("has no route from answers that are no lists of amounts", () =>
    Effect.gen(function* () {
      const word = encodeAbiParameters(parseAbiParameters("uint256"), [5n])
      const long = encodeAbiParameters(parseAbiParameters("uint256[]"), [[1n, 2n, 3n, 4n]])
      const malformed: ReadonlyArray<Hex | undefined> = [undefined, "0x", word, long]
      for (const each of malformed) {
        assert.strictEqual((yield* Effect.flip(routeWith(solidly, () => each)))._tag, "NoRoute")
      }
    })
  )
})

const quoterAbi = parseAbi([
  "struct Params { address tokenIn; address tokenOut; uint256 amountIn; int24 tickSpacing; uint160 sqrtPriceLimitX96; }",
  "function quoteExactInputSingle(Params params) returns (uint256 amountOut, uint160 sqrtPriceX96After, uint32 initializedTicksCrossed, uint256 gasEstimate)",
  "function quoteExactInput(bytes path, uint256 amountIn) returns (uint256 amountOut, uint160[] a, uint32[] b, uint256 gasEstimate)",
  "function factory() view returns (address)"
])

const slipstream: Venue.Venue = {
  name: "slipstream",
  family: "slipstream",
  router: ROUTER,
  quoter: QUOTER,
  tickSpacings: [1, 200]
}

describe("a venue of the Slipstream family", () => {
  const quoter =
    (direct: bigint, via: bigint) =>
    (to: Address.Address, data: Hex): Hex | undefined => {
      if (to !== QUOTER) return undefined
      const call = decodeFunctionData({ abi: quoterAbi, data })
      if (call.functionName === "quoteExactInputSingle") {
        const [{ amountIn, tickSpacing }] = call.args
        return tickSpacing !== 200 || direct === 0n
          ? undefined
          : encodeFunctionResult({
              abi: quoterAbi,
              functionName: "quoteExactInputSingle",
              result: [(amountIn * direct) / 100n, 0n, 0, 80_000n]
            })
      }
      if (call.functionName !== "quoteExactInput" || via === 0n) return undefined
      const [path, amountIn] = call.args
      // Tick spacing 200 is 0x0000c8, and 1 is 0x000001.
      return path === `${TOKEN}0000c8${USDC.slice(2)}000001${OUT.slice(2)}`.toLowerCase()
        ? encodeFunctionResult({
            abi: quoterAbi,
            functionName: "quoteExactInput",
            result: [(amountIn * via) / 100n, [], [], 150_000n]
          })
        : undefined
    }

  it.effect("swaps by the tick spacing of the pool", () =>
    Effect.gen(function* () {
      const route = yield* routeWith(slipstream, quoter(90n, 80n))
      assert.strictEqual(route.amountOut, 900n)
      assert.strictEqual(
        route.calldata,
        encodeFunctionData({
          abi: singleByTickSpacingAbi,
          functionName: "exactInputSingle",
          args: [
            {
              tokenIn: TOKEN,
              tokenOut: OUT,
              tickSpacing: 200,
              recipient: request.recipient,
              deadline: request.deadline,
              amountIn: 1_000n,
              amountOutMinimum: 891n,
              sqrtPriceLimitX96: 0n
            }
          ]
        })
      )
    })
  )

  it.effect("swaps along two pools", () =>
    Effect.gen(function* () {
      const route = yield* routeWith(slipstream, quoter(70n, 80n))
      const { args, functionName } = decodeFunctionData({ abi: deadlinedRouterAbi, data: route.calldata })
      assert.strictEqual(functionName, "exactInput")
      const [{ amountIn, amountOutMinimum, deadline, recipient }] = args as readonly [
        { amountIn: bigint; amountOutMinimum: bigint; deadline: bigint; recipient: string }
      ]
      assert.deepStrictEqual(
        [amountIn, amountOutMinimum, deadline, recipient],
        [1_000n, 792n, request.deadline, request.recipient]
      )
    })
  )
})
