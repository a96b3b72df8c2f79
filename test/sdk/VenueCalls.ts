/** Calls of the routers of each family, for {@link request}, by ABIs of their own. */
import { concatHex, encodeFunctionData, type Hex, numberToHex, parseAbi, zeroAddress } from "viem"
import { NOW_MS, owner, request, ROUTER, routed, swapOf } from "./Offers.ts"

export const DESTINATION = request.destination ?? owner.address
export const AMOUNT = 24_875_000n
export const MINIMUM = 6_890_000_000_000_000n
const DEADLINE = BigInt(NOW_MS / 1000 + 720)

/** Terms of a call of any family. */
export interface Terms {
  readonly tokenIn: Hex
  readonly tokenOut: Hex
  readonly amountIn: bigint
  readonly minAmountOut: bigint
  readonly recipient: Hex
}

/** The terms of a call, of which some can be others. */
export const terms = (other: Partial<Terms>): Terms => ({
  tokenIn: request.tokenIn,
  tokenOut: request.tokenOut,
  amountIn: AMOUNT,
  minAmountOut: MINIMUM,
  recipient: DESTINATION,
  ...other
})

const v2Abi = parseAbi([
  "function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[] amounts)",
  "function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)",
  "function swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[] amounts)",
  "function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)",
  "function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline) returns (uint256[] amounts)"
])

/** Uniswap v2: any of its functions, along a path. */
export const v2 = (
  other: Partial<Terms> = {},
  functionName: (typeof v2Abi)[number]["name"] = "swapExactTokensForTokens",
  path?: ReadonlyArray<Hex>
): Hex => {
  const { amountIn, minAmountOut, recipient, tokenIn, tokenOut } = terms(other)
  const args = [amountIn, minAmountOut, path ?? [tokenIn, tokenOut], recipient, DEADLINE] as const
  return encodeFunctionData({ abi: v2Abi, functionName, args })
}

const solidlyAbi = parseAbi([
  "struct Route { address from; address to; bool stable; address factory; }",
  "function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, Route[] routes, address to, uint256 deadline) returns (uint256[] amounts)",
  "function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, Route[] routes, address to, uint256 deadline)",
  "function swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, Route[] routes, address to, uint256 deadline) returns (uint256[] amounts)",
  "function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, Route[] routes, address to, uint256 deadline)",
  "function UNSAFE_swapExactTokensForTokens(uint256[] amounts, Route[] routes, address to, uint256 deadline) returns (uint256[])"
])

/** Aerodrome's factory of basic pools. */
const FACTORY = "0x420DD381b31aEf6683db6B902084cB0FFECe40Da"

export const hop = (from: Hex, to: Hex) => ({ from, to, stable: false, factory: FACTORY }) as const

/** Aerodrome: its functions, over pools. */
export const solidly = (
  other: Partial<Terms> = {},
  functionName: Exclude<(typeof solidlyAbi)[number]["name"], `UNSAFE${string}`> = "swapExactTokensForTokens",
  hops?: ReadonlyArray<ReturnType<typeof hop>>
): Hex => {
  const { amountIn, minAmountOut, recipient, tokenIn, tokenOut } = terms(other)
  const args = [amountIn, minAmountOut, hops ?? [hop(tokenIn, tokenOut)], recipient, DEADLINE] as const
  return encodeFunctionData({ abi: solidlyAbi, functionName, args })
}

/** Takes the amounts of each pool as given. */
export const unsafeSolidly = (): Hex =>
  encodeFunctionData({
    abi: solidlyAbi,
    functionName: "UNSAFE_swapExactTokensForTokens",
    args: [[AMOUNT, MINIMUM], [hop(request.tokenIn, request.tokenOut)], DESTINATION, DEADLINE]
  })

const deadlinedAbi = parseAbi([
  "struct Single { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }",
  "struct Path { bytes path; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; }",
  "function exactInputSingle(Single params) payable returns (uint256 amountOut)",
  "function exactInput(Path params) payable returns (uint256 amountOut)",
  "function multicall(bytes[] data) payable returns (bytes[] results)",
  "function unwrapWETH9(uint256 amountMinimum, address recipient) payable",
  "function sweepToken(address token, uint256 amountMinimum, address recipient) payable"
])

const slipstreamAbi = parseAbi([
  "struct Single { address tokenIn; address tokenOut; int24 tickSpacing; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }",
  "function exactInputSingle(Single params) payable returns (uint256 amountOut)"
])

const singleOf = (other: Partial<Terms>, sqrtPriceLimitX96: bigint) => {
  const { minAmountOut: amountOutMinimum, ...same } = terms(other)
  return { ...same, amountOutMinimum, deadline: DEADLINE, sqrtPriceLimitX96 }
}

/** Uniswap's first v3 router: one pool. */
export const v3 = (other: Partial<Terms> = {}, priceLimit = 0n): Hex =>
  encodeFunctionData({
    abi: deadlinedAbi,
    functionName: "exactInputSingle",
    args: [{ ...singleOf(other, priceLimit), fee: 500 }]
  })

/** Slipstream: one pool. */
export const slipstream = (other: Partial<Terms> = {}, priceLimit = 0n): Hex =>
  encodeFunctionData({
    abi: slipstreamAbi,
    functionName: "exactInputSingle",
    args: [{ ...singleOf(other, priceLimit), tickSpacing: 100 }]
  })

/** Both of them: a path of pools. */
export const v3Path = (other: Partial<Terms> = {}, via: ReadonlyArray<Hex> = [], path?: Hex): Hex => {
  const { amountIn, minAmountOut: amountOutMinimum, recipient, tokenIn, tokenOut } = terms(other)
  const hops = [...via, tokenOut].flatMap((token) => [numberToHex(500, { size: 3 }), token])
  const params = {
    path: path ?? concatHex([tokenIn, ...hops]),
    recipient,
    deadline: DEADLINE,
    amountIn,
    amountOutMinimum
  }
  return encodeFunctionData({ abi: deadlinedAbi, functionName: "exactInput", args: [params] })
}

/** Both of them: several calls at once. */
export const several = (...calls: ReadonlyArray<Hex>): Hex =>
  encodeFunctionData({ abi: deadlinedAbi, functionName: "multicall", args: [calls] })

/** Both of them: the router's native currency for a recipient. */
export const unwrapped = (recipient: Hex = DESTINATION, minimum = MINIMUM): Hex =>
  encodeFunctionData({ abi: deadlinedAbi, functionName: "unwrapWETH9", args: [minimum, recipient] })

export const swept = (): Hex =>
  encodeFunctionData({ abi: deadlinedAbi, functionName: "sweepToken", args: [request.tokenOut, 0n, DESTINATION] })

const v4Abi = parseAbi([
  "struct Hop { address currency; uint24 fee; int24 tickSpacing; address hooks; }",
  "struct Swap { address tokenIn; address tokenOut; address recipient; uint256 amountIn; uint256 minAmountOut; uint256 deadline; bool unwrapsInput; Hop[] hops; }",
  "function exactInput(Swap swap) returns (uint256 amountOut)"
])

/** Uniswap v4, by the service's router: along pools. The zero address as output is native currency. */
export const v4 = (other: Partial<Terms> = {}, via: ReadonlyArray<Hex> = [], isEmpty = false): Hex => {
  const { tokenOut, ...same } = terms(other)
  const hops = [...via, tokenOut].map((currency) => ({ currency, fee: 500, tickSpacing: 10, hooks: zeroAddress }))
  const args = [{ ...same, tokenOut, deadline: DEADLINE, unwrapsInput: false, hops: isEmpty ? [] : hops }] as const
  return encodeFunctionData({ abi: v4Abi, functionName: "exactInput", args })
}

/** A router of each family on Base, with a call for the order's terms, and with the same for native currency. */
export const EXCHANGES = {
  SwapRouter02: { router: ROUTER, call: (other: Partial<Terms> = {}) => routed(swapOf(swapRouterTerms(other))) },
  "PancakeSwap v3": {
    router: "0x678Aa4bF4E210cf2166753e054d5b7c31cc7fa86",
    call: (other: Partial<Terms> = {}) => routed(swapOf(swapRouterTerms(other)))
  },
  "Uniswap v2": { router: "0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24", call: v2 },
  "SushiSwap v3": { router: "0xFB7eF66a7e61224DD6FcD0D7d9C3be5C8B049b9f", call: v3 },
  Aerodrome: { router: "0xcF77a3Ba9A5CA399B7c97c74d54e5b1Beb874E43", call: solidly },
  Slipstream: { router: "0xBE6D8f0d05cC4be24d5167a3eF062215bE6D18a5", call: slipstream },
  "Uniswap v4": { router: "0x0416627c2316Df6fce444a50BaF6c734039847a7", call: v4 }
} as const

function swapRouterTerms({ minAmountOut, ...other }: Partial<Terms>) {
  return minAmountOut === undefined ? other : { ...other, amountOutMinimum: minAmountOut }
}
