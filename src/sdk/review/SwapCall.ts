/**
 * Decodes the router call of an order on one chain. The account itself calls the router, so any other call could spend allowances
 * that the owner gave to the router before, and the order would not show it.
 */
import { getAddress, parseAbi, sliceHex } from "../core/Viem.ts"
import { type Address, sameAddress } from "../model/Address.ts"
import type { Hex } from "../model/Hex.ts"
import { decodeExactly } from "./Calldata.ts"

/** The functions of Uniswap's SwapRouter02 that a sweep uses. Members have no names, which would make the client larger. */
const routerAbi = /* @__PURE__ */ parseAbi([
  "function multicall(uint256,bytes[])",
  "function exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))",
  "function exactInput((bytes,address,uint256,uint256))",
  "function unwrapWETH9(uint256,address)",
  "function pull(address,uint256)",
  "function sweepToken(address,uint256,address)"
])

/** The router itself, as a recipient (`Constants.ADDRESS_THIS`). */
const ROUTER: Address = "0x0000000000000000000000000000000000000002"

/** One swap of an exact amount, possibly in parts, and possibly paid out as native currency. */
export interface SwapCall {
  readonly tokenIn: Address
  readonly amountIn: bigint
  /** Token that the pools pay out. For native currency the wrapped native token, or the native one if the call names no other. */
  readonly tokenOut: Address
  readonly minAmountOut: bigint
  readonly recipient: Address
  /** True if the router pays out native currency. */
  readonly unwraps: boolean
  /** Tells the user which part of the call is not read. Default: all of it is. */
  readonly warning?: string
}

/**
 * Decodes a call of one kind of router. Returns undefined for anything but one swap of an exact amount that pays a single recipient:
 * the router may hold allowances of the owner, so a call that is not understood in full can spend them.
 */
export type SwapReader = (target: Address, calldata: Hex) => SwapCall | undefined

/** Readers of a chain's routers by the router's address. */
export type Routers = Readonly<Record<Address, SwapReader>>

/** Bytes of an address, and of a fee and the next address. */
const HEAD = 20
const HOP = 23

/** First and last token of a path of Uniswap v3. */
export const endsOf = (path: Hex): readonly [Address, Address] | undefined => {
  const size = (path.length - 2) / 2
  return size > HEAD && (size - HEAD) % HOP === 0
    ? [getAddress(sliceHex(path, 0, HEAD)), getAddress(sliceHex(path, size - HEAD))]
    : undefined
}

type Step = Omit<SwapCall, "unwraps">

const readStep = (data: Hex): Step | undefined => {
  const call = decodeExactly(routerAbi, data)
  switch (call?.functionName) {
    case "exactInputSingle": {
      const [tokenIn, tokenOut, _fee, recipient, amountIn, minAmountOut, priceLimit] = call.args[0]
      // With a limit the router may swap a part only.
      return priceLimit === 0n ? { tokenIn, amountIn, tokenOut, minAmountOut, recipient } : undefined
    }
    case "exactInput": {
      const [path, recipient, amountIn, minAmountOut] = call.args[0]
      const ends = endsOf(path)
      return ends && { tokenIn: ends[0], amountIn, tokenOut: ends[1], minAmountOut, recipient }
    }
    case "pull": {
      const [tokenIn, amountIn] = call.args
      return { tokenIn, amountIn, tokenOut: tokenIn, minAmountOut: amountIn, recipient: ROUTER }
    }
    default:
      return undefined
  }
}

/** Swaps that one call may divide an amount into. */
const MAX_PARTS = 3

/**
 * Parts of one swap as a whole. Undefined if they differ in more than their pools and amounts. For the router, a part of 0 means what it
 * holds itself.
 */
const joined = (parts: ReadonlyArray<Step | undefined>): Step | undefined => {
  const [first] = parts
  if (first === undefined) return undefined
  let [amountIn, minAmountOut] = [0n, 0n]
  for (const part of parts) {
    if (
      part === undefined ||
      (parts.length > 1 && part.amountIn === 0n) ||
      !sameAddress(first.tokenIn, part.tokenIn) ||
      !sameAddress(first.tokenOut, part.tokenOut) ||
      !sameAddress(first.recipient, part.recipient)
    ) {
      return undefined
    }
    amountIn += part.amountIn
    minAmountOut += part.minAmountOut
  }
  return { ...first, amountIn, minAmountOut }
}

/**
 * Decodes the calldata of an order on one chain. Returns undefined for anything but one swap of an exact amount, with at most the
 * unwrapping, or the payment, of an output that the router holds. The amount may be divided into three parts, which take and pay the same
 * tokens for the same recipient: `amountIn` and `minAmountOut` are their sums.
 *
 * @example
 * const call = readSwapCall(offer.order.swapCalldata)
 * if (call !== undefined) console.log(`${call.amountIn} of ${call.tokenIn} for ${call.tokenOut} to ${call.recipient}`)
 */
export const readSwapCall = (calldata: Hex): SwapCall | undefined => {
  const call = decodeExactly(routerAbi, calldata)
  if (call?.functionName !== "multicall") return undefined
  const calls = call.args[1]
  const last = calls.at(-1)
  const ending = last && decodeExactly(routerAbi, last)
  const unwraps = ending?.functionName === "unwrapWETH9"
  const held = unwraps || ending?.functionName === "sweepToken"
  const steps = held ? calls.slice(0, -1) : calls
  if (steps.length === 0 || steps.length > MAX_PARTS) return undefined
  const swap = joined(steps.map(readStep))
  // Anybody can take an output that stays in the router, and it cannot pay one that it does not hold.
  if (swap === undefined || (swap.recipient === ROUTER) !== held) return undefined
  if (!held) return { ...swap, unwraps }
  const [token, minAmountOut, recipient] = unwraps ? ([swap.tokenOut, ...ending.args] as const) : ending.args
  return sameAddress(token, swap.tokenOut) ? { ...swap, minAmountOut, recipient, unwraps } : undefined
}

/** Reads the calls of Uniswap's SwapRouter02, and of PancakeSwap's SmartRouter, which has the same functions. */
export const readSwapRouter02: SwapReader = (_, calldata) => readSwapCall(calldata)
