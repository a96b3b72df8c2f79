/** Reads calls of KyberSwap's MetaAggregationRouterV2. The data of its executor is not read. */
import { decodeAbiParameters, parseAbi } from "../../core/Viem.ts"
import type { Hex } from "../../model/Hex.ts"
import { decodeExactly } from "../Calldata.ts"
import { isNative } from "../Native.ts"
import type { SwapReader } from "../SwapCall.ts"
import { unread } from "./Unread.ts"

/**
 * Executor, spender and the executor's data. Then the terms: tokens, receivers of the input with their amounts, receivers of fees with
 * theirs, recipient, amount, least output, flags and permit. Then data for analysis. The simple mode has the same in another order.
 */
const abi = /* @__PURE__ */ parseAbi([
  "function swap((address,address,bytes,(address,address,address[],uint256[],address[],uint256[],address,uint256,uint256,uint256,bytes),bytes))",
  "function swapSimpleMode(address,(address,address,address[],uint256[],address[],uint256[],address,uint256,uint256,uint256,bytes),bytes,bytes)"
])

/** The executor's data of a swap in simple mode: first pools, the amounts that the router sends to them, their calls, deadline, fees. */
const simple = /* @__PURE__ */ parseAbi(["function data((address[],uint256[],bytes[],uint256,bytes))"])

const sumOf = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((sum, amount) => sum + amount, 0n)

/** The amount that a swap in simple mode takes from the sender. Undefined for data of another form. */
const takenInSimpleMode = (data: Hex): bigint | undefined => {
  try {
    const [[pools, amounts, calls]] = decodeAbiParameters(simple[0].inputs, data)
    return pools.length === amounts.length && pools.length === calls.length ? sumOf(amounts) : undefined
  } catch {
    return undefined
  }
}

type Call = NonNullable<ReturnType<typeof decodeExactly<typeof abi>>>

/** The terms of a call, and the amount that it takes. In simple mode, the executor's data says which. */
const readingOf = (call: Call) => {
  if (call.functionName === "swap") return { terms: call.args[0][3], taken: sumOf(call.args[0][3][3]) }
  const [, terms, data] = call.args
  return { terms, taken: takenInSimpleMode(data) }
}

/** A part of the amount may be swapped, native currency is needed, and two that burn tokens of the sender for gas. */
const REFUSED_FLAGS = 0x1bn

/** Reads a swap without fees of the router's and without a permit. The router takes the whole amount of one token. */
export const readKyberSwapCall: SwapReader = (_, calldata) => {
  const call = decodeExactly(abi, calldata)
  if (call === undefined) return undefined
  const { taken, terms } = readingOf(call)
  const [tokenIn, tokenOut, , , feeReceivers, feeAmounts, recipient, amountIn, minAmountOut, flags, permit] = terms
  if (feeReceivers.length + feeAmounts.length > 0 || permit !== "0x" || (flags & REFUSED_FLAGS) !== 0n) return undefined
  if (taken !== amountIn) return undefined
  const unwraps = isNative(tokenOut)
  return { tokenIn, amountIn, tokenOut, minAmountOut, recipient, unwraps, warning: unread("KyberSwap") }
}
