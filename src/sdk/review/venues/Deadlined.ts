/** Calls of routers that derive from Uniswap's first SwapRouter, in which each swap has a deadline of its own. */
import { parseAbi } from "../../core/Viem.ts"
import { isZeroAddress, type Address } from "../../model/Address.ts"
import type { Hex } from "../../model/Hex.ts"
import { decodeExactly } from "../Calldata.ts"
import { endsOf, type SwapCall, type SwapReader } from "../SwapCall.ts"

const abi = /* @__PURE__ */ parseAbi([
  "function multicall(bytes[])",
  "function exactInput((bytes,address,uint256,uint256,uint256))",
  "function unwrapWETH9(uint256,address)"
])

type Step = Omit<SwapCall, "unwraps">

/** Arguments of `exactInputSingle`: tokens, the kind of pool, recipient, deadline, amount, least output, limit of the price. */
type Single = readonly [Address, Address, number, Address, bigint, bigint, bigint, bigint]

/** Tells the arguments of `exactInputSingle`, whose type differs between routers. */
export type ReadSingle = (calldata: Hex) => Single | undefined

const readStep = (calldata: Hex, readSingle: ReadSingle): Step | undefined => {
  const single = readSingle(calldata)
  if (single !== undefined) {
    const [tokenIn, tokenOut, , recipient, , amountIn, minAmountOut, priceLimit] = single
    // With a limit the router may swap a part only.
    return priceLimit === 0n ? { tokenIn, amountIn, tokenOut, minAmountOut, recipient } : undefined
  }
  const call = decodeExactly(abi, calldata)
  if (call?.functionName !== "exactInput") return undefined
  const [path, recipient, , amountIn, minAmountOut] = call.args[0]
  const ends = endsOf(path)
  return ends && { tokenIn: ends[0], amountIn, tokenOut: ends[1], minAmountOut, recipient }
}

/** Reads one swap, alone or in a `multicall`, which may unwrap its output. */
export const deadlined =
  (readSingle: ReadSingle): SwapReader =>
  (_, calldata) => {
    const call = decodeExactly(abi, calldata)
    const [first, second, ...others] = call?.functionName === "multicall" ? call.args[0] : [calldata]
    const swap = first && readStep(first, readSingle)
    if (swap === undefined || others.length > 0) return undefined
    // For these routers, no recipient means the router itself.
    const toRouter = isZeroAddress(swap.recipient)
    if (second === undefined) return toRouter ? undefined : { ...swap, unwraps: false }
    const unwrapping = decodeExactly(abi, second)
    if (!toRouter || unwrapping?.functionName !== "unwrapWETH9") return undefined
    const [minAmountOut, recipient] = unwrapping.args
    return { ...swap, minAmountOut, recipient, unwraps: true }
  }
