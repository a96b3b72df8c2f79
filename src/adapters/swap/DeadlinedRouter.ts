/**
 * Swaps by routers whose swaps take a deadline each: Uniswap's first SwapRouter, as SushiSwap v3 has it, and that of Slipstream, the
 * concentrated pools of Aerodrome and Velodrome. The quoter is a QuoterV2.
 *
 * Calldata: one swap, `exactInputSingle` 0x414bf389 (Slipstream: 0xa026383e) or `exactInput` 0xc04b8d59. For native output
 * `multicall(bytes[])` 0xac9650d8 with the swap, which pays the router, and `unwrapWETH9(uint256,address)` 0x49404b7c, which pays the recipient.
 */
import { Effect } from "effect"
import { encodeFunctionData, parseAbi, prepareEncodeFunctionData } from "viem"
import * as Address from "../../domain/Address.ts"
import type { Hex } from "../../domain/Hex.ts"
import { isNative } from "../../domain/Token.ts"
import type { SwapRequest, SwapRoute } from "../../ports/orchestrator/SwapVenue.ts"
import type * as Curves from "./Curves.ts"
import * as OnChainVenue from "./OnChainVenue.ts"
import type { PoolMemory } from "./PoolMemory.ts"
import type { Contracts } from "./UniswapV3.ts"
import * as Market from "./UniswapV3Market.ts"
import * as Path from "./UniswapV3Path.ts"

export const deadlinedRouterAbi = parseAbi([
  "struct ExactInputParams { bytes path; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; }",
  "function exactInput(ExactInputParams params) payable returns (uint256 amountOut)",
  "function multicall(bytes[] data) payable returns (bytes[] results)",
  "function unwrapWETH9(uint256 amountMinimum, address recipient) payable"
])
export const singleByFeeAbi = parseAbi([
  "struct ExactInputSingleParams { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }",
  "function exactInputSingle(ExactInputSingleParams params) payable returns (uint256 amountOut)"
])
export const singleByTickSpacingAbi = parseAbi([
  "struct ExactInputSingleParams { address tokenIn; address tokenOut; int24 tickSpacing; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }",
  "function exactInputSingle(ExactInputSingleParams params) payable returns (uint256 amountOut)"
])

// With their selectors, which viem would hash for every call.
const EXACT_INPUT = prepareEncodeFunctionData({ abi: deadlinedRouterAbi, functionName: "exactInput" })
const MULTICALL = prepareEncodeFunctionData({ abi: deadlinedRouterAbi, functionName: "multicall" })
const UNWRAP = prepareEncodeFunctionData({ abi: deadlinedRouterAbi, functionName: "unwrapWETH9" })
const SINGLE_BY_FEE = prepareEncodeFunctionData({ abi: singleByFeeAbi, functionName: "exactInputSingle" })
const SINGLE_BY_TICK_SPACING = prepareEncodeFunctionData({
  abi: singleByTickSpacingAbi,
  functionName: "exactInputSingle"
})

/** Gas of the router in addition to the quoter's figure for the pools: dispatch and transfer of the input. */
const ROUTER_GAS = 25_000n

/** Gas of unwrapping native currency and sending it. */
const UNWRAP_GAS = 20_000n

interface Swap extends Curves.Pair, Pick<SwapRequest, "amountIn" | "deadline" | "recipient"> {
  readonly path: Path.Path
  readonly minAmountOut: bigint
}

const swapCall = (
  type: Path.Kinds["type"],
  { amountIn, deadline, minAmountOut: amountOutMinimum, path, recipient, tokenIn, tokenOut }: Swap
): Hex => {
  if (path._tag === "Via") {
    const params = { path: Path.encode(tokenIn, path, tokenOut), recipient, deadline, amountIn, amountOutMinimum }
    return encodeFunctionData({ ...EXACT_INPUT, args: [params] })
  }
  const params = { tokenIn, tokenOut, recipient, deadline, amountIn, amountOutMinimum, sqrtPriceLimitX96: 0n }
  return type === "uint24"
    ? encodeFunctionData({ ...SINGLE_BY_FEE, args: [{ ...params, fee: path.fee }] })
    : encodeFunctionData({ ...SINGLE_BY_TICK_SPACING, args: [{ ...params, tickSpacing: path.fee }] })
}

const swapping = (
  { kinds: { type }, provider, router }: Contracts,
  request: SwapRequest,
  tokenOut: Address.Address,
  quoted: Curves.Quoted<Path.Path>
): SwapRoute => {
  const { amountIn, deadline, recipient, slippageBps, tokenIn } = request
  const minAmountOut = OnChainVenue.leastOf(quoted.amountOut, slippageBps)
  const swap = { path: quoted.path, tokenIn, tokenOut, amountIn, deadline, minAmountOut }
  const native = isNative(request.tokenOut)
  const calldata = native
    ? encodeFunctionData({
        ...MULTICALL,
        args: [
          [
            // The zero address stands for the router itself.
            swapCall(type, { ...swap, recipient: Address.zero }),
            encodeFunctionData({ ...UNWRAP, args: [minAmountOut, recipient] })
          ]
        ]
      })
    : swapCall(type, { ...swap, recipient })
  return {
    provider,
    target: router,
    calldata,
    amountOut: quoted.amountOut,
    minAmountOut,
    gas: quoted.gas + ROUTER_GAS + (native ? UNWRAP_GAS : 0n),
    passing: (quoted.path._tag === "Via" ? 1 : 0) + (native ? 1 : 0)
  }
}

/** An exchange with the functions of QuoterV2 and of the first SwapRouter, or those of Slipstream if its pools have tick spacings. */
export const exchange = (contracts: Contracts, memory: PoolMemory): OnChainVenue.Exchange => ({
  router: contracts.router,
  reserved: [Address.zero],
  mayTrade: (chain, pair, nowMillis) => Market.mayTrade({ chain }, { ...contracts, memory }, pair, nowMillis),
  read: (client, pair, amounts) =>
    Effect.map(Market.read(client, { ...contracts, memory }, pair, amounts), (market) =>
      OnChainVenue.reading(market, (terms, priced) => swapping(contracts, terms, pair.tokenOut, priced))
    ),
  poolReads: (pair) => Market.poolReads(contracts, pair)
})
