/**
 * Swaps by routers that move tokens from pool to pool along a list: Uniswap v2, and those that share its interface (SushiSwap, PancakeSwap
 * v2), and Solidly's, as Aerodrome and Velodrome v2 have it for their basic pools. The router itself quotes, by `getAmountsOut`.
 *
 * The functions for tokens that take a fee are used: they measure what arrives, so the least output holds for every token.
 * Calldata of Uniswap v2: `swapExactTokensForTokensSupportingFeeOnTransferTokens` 0x5c11d795, for native output
 * `swapExactTokensForETHSupportingFeeOnTransferTokens` 0x791ac947. Of Solidly, with hops in place of addresses: 0x88cd821e and 0x12bc3aca.
 */
import { Clock, Effect, Option } from "effect"
import { encodeFunctionData, parseAbi, prepareEncodeFunctionData, toFunctionSelector } from "viem"
import * as Address from "../../domain/Address.ts"
import { type Hex, size } from "../../domain/Hex.ts"
import { isNative } from "../../domain/Token.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import type { SwapRequest, SwapRoute } from "../../ports/orchestrator/SwapVenue.ts"
import * as Words from "../evm/codec/Words.ts"
import * as Curves from "./Curves.ts"
import * as OnChainVenue from "./OnChainVenue.ts"
import type * as PoolMemory from "./PoolMemory.ts"

export const uniswapV2RouterAbi = parseAbi([
  "function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[] amounts)",
  "function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)",
  "function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)"
])
export const solidlyRouterAbi = parseAbi([
  "struct Route { address from; address to; bool stable; address factory; }",
  "function getAmountsOut(uint256 amountIn, Route[] routes) view returns (uint256[] amounts)",
  "function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, Route[] routes, address to, uint256 deadline)",
  "function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, Route[] routes, address to, uint256 deadline)"
])

/** One pool of a path. */
interface Hop {
  readonly from: Address.Address
  readonly to: Address.Address
  /** Kind of the pool, for Solidly: true if its tokens have about the same price. */
  readonly stable: boolean
}

type Path = ReadonlyArray<Hop>

interface Contracts {
  readonly provider: string
  readonly router: Address.Address
}

/** Differences between the two interfaces. */
interface Dialect {
  /** Kinds of pools that a pair of tokens may have. */
  readonly kinds: ReadonlyArray<boolean>
  /** Factory of the pools. Absent if the router names it. */
  readonly factory?: Address.Address
  /** Call to which the factory answers with a pool's address. */
  readonly poolCall: PoolMemory.Venue<boolean>["poolCall"]
  /** Calldata of `getAmountsOut`, by hand: a market is read at many paths and amounts. */
  readonly quoteCall: (path: Path) => (amountIn: bigint) => Hex
  readonly swapCall: (path: Path, request: SwapRequest, minAmountOut: bigint) => Hex
  /** Typical gas of the router with its transfers, and of each pool. The first swap of a block in a pool takes up to 40,000 more. */
  readonly gas: { readonly router: bigint; readonly hop: bigint; readonly stableHop: bigint }
}

/** Gas of unwrapping native currency and sending it. */
const UNWRAP_GAS = 15_000n

/** Direct pools, and all pairs of pools through each hop token. `kindsOf`: the pools of a pair. */
export const candidates = (
  { tokenIn, tokenOut }: Curves.Pair,
  via: ReadonlyArray<Address.Address>,
  kindsOf: PoolMemory.KindsOf<boolean>
): ReadonlyArray<Path> => [
  ...kindsOf(tokenIn, tokenOut).map((stable) => [{ from: tokenIn, to: tokenOut, stable }]),
  ...via.flatMap((token) => {
    const seconds = kindsOf(token, tokenOut)
    return kindsOf(tokenIn, token).flatMap((first) =>
      seconds.map((second) => [
        { from: tokenIn, to: token, stable: first },
        { from: token, to: tokenOut, stable: second }
      ])
    )
  })
]

/** Function that makes calldata with an amount and a list, of which `words` are the elements. */
const listCall = (selector: Hex, length: number, words: string): ((amountIn: bigint) => Hex) => {
  const after = Words.ofNumber(2 * Words.WORD) + Words.ofNumber(length) + words
  return (amountIn) => `${selector}${Words.ofNumber(amountIn)}${after}`
}

const QUOTE_V2 = toFunctionSelector("getAmountsOut(uint256,address[])")
const QUOTE_SOLIDLY = toFunctionSelector("getAmountsOut(uint256,(address,address,bool,address)[])")

const GET_PAIR = toFunctionSelector("getPair(address,address)")
const GET_POOL = toFunctionSelector("getPool(address,address,bool)")

/** The tokens of a path, in order. */
const tokensOf = (path: Path): ReadonlyArray<Address.Address> => [
  ...path.slice(0, 1).map(({ from }) => from),
  ...path.map(({ to }) => to)
]

const TO_TOKENS = "swapExactTokensForTokensSupportingFeeOnTransferTokens"
const TO_NATIVE = "swapExactTokensForETHSupportingFeeOnTransferTokens"

// With their selectors, which viem would hash for every call.
const V2_TO_TOKENS = prepareEncodeFunctionData({ abi: uniswapV2RouterAbi, functionName: TO_TOKENS })
const V2_TO_NATIVE = prepareEncodeFunctionData({ abi: uniswapV2RouterAbi, functionName: TO_NATIVE })
const SOLIDLY_TO_TOKENS = prepareEncodeFunctionData({ abi: solidlyRouterAbi, functionName: TO_TOKENS })
const SOLIDLY_TO_NATIVE = prepareEncodeFunctionData({ abi: solidlyRouterAbi, functionName: TO_NATIVE })

/** The interface of Uniswap v2. */
export const UNISWAP_V2: Dialect = {
  kinds: [false],
  poolCall: ([first, second]) => `${GET_PAIR}${Words.ofAddress(first)}${Words.ofAddress(second)}`,
  quoteCall: (path) => {
    const tokens = tokensOf(path)
    return listCall(QUOTE_V2, tokens.length, tokens.map(Words.ofAddress).join(""))
  },
  swapCall: (path, request, minAmountOut) => {
    const { amountIn, deadline, recipient, tokenOut } = request
    const args = [amountIn, minAmountOut, tokensOf(path), recipient, deadline] as const
    return isNative(tokenOut)
      ? encodeFunctionData({ ...V2_TO_NATIVE, args })
      : encodeFunctionData({ ...V2_TO_TOKENS, args })
  },
  gas: { router: 30_000n, hop: 60_000n, stableHop: 60_000n }
}

/** The interface of Aerodrome and Velodrome v2, for pools of one factory. */
export const solidly = (factory: Address.Address): Dialect => ({
  kinds: [false, true],
  factory,
  poolCall: ([first, second], stable) =>
    `${GET_POOL}${Words.ofAddress(first)}${Words.ofAddress(second)}${Words.ofNumber(stable ? 1 : 0)}`,
  quoteCall: (path) => {
    const words = path.flatMap(({ from, stable, to }) => [
      Words.ofAddress(from),
      Words.ofAddress(to),
      Words.ofNumber(stable ? 1 : 0),
      Words.ofAddress(factory)
    ])
    return listCall(QUOTE_SOLIDLY, path.length, words.join(""))
  },
  swapCall: (path, request, minAmountOut) => {
    const { amountIn, deadline, recipient, tokenOut } = request
    const routes = path.map((hop) => ({ ...hop, factory }))
    const args = [amountIn, minAmountOut, routes, recipient, deadline] as const
    return isNative(tokenOut)
      ? encodeFunctionData({ ...SOLIDLY_TO_NATIVE, args })
      : encodeFunctionData({ ...SOLIDLY_TO_TOKENS, args })
  },
  gas: { router: 45_000n, hop: 95_000n, stableHop: 135_000n }
})

/** The last of the amounts along a path of `hops` pools. None for an answer that is no such list. */
const lastAmount = (data: Hex, hops: number): Option.Option<bigint> => {
  const words = 2 + 1 + hops
  if (size(data) !== words * Words.WORD) return Option.none()
  const { wordAt } = Words.reader(data)
  return wordAt(Words.WORD) === BigInt(1 + hops) ? Option.some(wordAt((words - 1) * Words.WORD)) : Option.none()
}

const swapping = (
  { provider, router }: Contracts,
  dialect: Dialect,
  request: SwapRequest,
  { amountOut, gas, path }: Curves.Quoted<Path>
): SwapRoute => {
  const minAmountOut = OnChainVenue.leastOf(amountOut, request.slippageBps)
  const native = isNative(request.tokenOut)
  return {
    provider,
    target: router,
    calldata: dialect.swapCall(path, request, minAmountOut),
    amountOut,
    minAmountOut,
    gas: gas + (native ? UNWRAP_GAS : 0n),
    // Tokens go from pool to pool, and only native output through the router.
    passing: native ? 1 : 0,
    sellsWhatArrives: true
  }
}

/** Returns what is known of a pair's pools, and the paths through those that may exist. */
const viewOf = (
  { chain }: Pick<ChainClient, "chain">,
  { router }: Contracts,
  dialect: Dialect,
  memory: PoolMemory.PoolMemory,
  pair: Curves.Pair,
  nowMillis: number
) => {
  const hops = Curves.hopsOf({ chain }, pair)
  const venue = { ...dialect, chainId: chain.id, periphery: router }
  const view = memory.view(venue, Curves.pairsOf(pair, hops), nowMillis)
  return { view, paths: () => candidates(pair, hops, view.kindsOf) }
}

/** An exchange with a router of either interface. */
export const exchange = (
  contracts: Contracts,
  dialect: Dialect,
  memory: PoolMemory.PoolMemory
): OnChainVenue.Exchange => ({
  router: contracts.router,
  reserved: [Address.zero],
  mayTrade: (chain, pair, nowMillis) =>
    viewOf({ chain }, contracts, dialect, memory, pair, nowMillis).paths().length > 0,
  read: Effect.fnUntraced(function* (client, pair, amounts) {
    const { hop, router, stableHop } = dialect.gas
    const now = yield* Clock.currentTimeMillis
    const { paths, view } = viewOf(client, contracts, dialect, memory, pair, now)
    const asking = (path: Path): Curves.Asked<Path> => {
      const gas = path.reduce((sum, { stable }) => sum + (stable ? stableHop : hop), router)
      return {
        path,
        callOf: dialect.quoteCall(path),
        sampleOf: (amountIn, data) =>
          Option.map(lastAmount(data, path.length), (amountOut) => ({ amountIn, amountOut, gas }))
      }
    }
    const asked = { quoter: contracts.router, lookUp: memory.lookUp }
    const market = yield* Curves.readOpen(client, asked, view, amounts, () => paths().map(asking))
    return OnChainVenue.reading(market, (terms, priced) => swapping(contracts, dialect, terms, priced))
  }),
  poolReads: (pair) =>
    candidates(pair, [], () => dialect.kinds).map((path) => ({
      to: contracts.router,
      callOf: dialect.quoteCall(path),
      amountOf: (data) => lastAmount(data, path.length)
    }))
})
