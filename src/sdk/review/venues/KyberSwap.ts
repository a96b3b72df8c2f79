/** Reads calls of KyberSwap's MetaAggregationRouterV2. The data of its executor is not read. */
import { parseAbi } from "../../core/Viem.ts"
import { decodeExactly } from "../Calldata.ts"
import { isNative } from "../Native.ts"
import type { SwapReader } from "../SwapCall.ts"
import { unread } from "./Unread.ts"

/**
 * Executor, spender and the executor's data. Then the terms: tokens, receivers of the input with their amounts, receivers of fees with
 * theirs, recipient, amount, least output, flags and permit. Then data for analysis.
 */
const abi = /* @__PURE__ */ parseAbi([
  "function swap((address,address,bytes,(address,address,address[],uint256[],address[],uint256[],address,uint256,uint256,uint256,bytes),bytes))"
])

/** A part of the amount may be swapped, native currency is needed, and two that burn tokens of the sender for gas. */
const REFUSED_FLAGS = 0x1bn

/** Reads a swap without fees of the router's and without a permit. The router takes the whole amount of one token. */
export const readKyberSwapCall: SwapReader = (_, calldata) => {
  const call = decodeExactly(abi, calldata)
  if (call === undefined) return undefined
  const [, , , terms] = call.args[0]
  const [tokenIn, tokenOut, , taken, feeReceivers, feeAmounts, recipient, amountIn, minAmountOut, flags, permit] = terms
  if (feeReceivers.length + feeAmounts.length > 0 || permit !== "0x" || (flags & REFUSED_FLAGS) !== 0n) return undefined
  if (taken.reduce((sum, amount) => sum + amount, 0n) !== amountIn) return undefined
  const unwraps = isNative(tokenOut)
  return { tokenIn, amountIn, tokenOut, minAmountOut, recipient, unwraps, warning: unread("KyberSwap") }
}
