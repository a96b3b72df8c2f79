/**
 * Reads calls of 0x's AllowanceHolder. It lends the amount of one token to the contract that swaps, which has nothing else of the owner.
 * That contract changes over time, so its address is not checked, and its actions are not read.
 */
import { decodeFunctionData, parseAbi } from "../../core/Viem.ts"
import { sameAddress } from "../../model/Address.ts"
import { decodeExactly } from "../Calldata.ts"
import { isNative } from "../Native.ts"
import type { SwapReader } from "../SwapCall.ts"
import { unread } from "./Unread.ts"

/** Operator, token, amount, target and the target's call. */
const holderAbi = /* @__PURE__ */ parseAbi(["function exec(address,address,uint256,address,bytes)"])

/** Recipient, token and least amount, then the actions and a name for analysis. */
const settlerAbi = /* @__PURE__ */ parseAbi(["function execute((address,address,uint256),bytes[],bytes32)"])

/** Reads the token, the amount, and the least output that the contract which swaps is told to pay. */
export const readZeroExCall: SwapReader = (_, calldata) => {
  const call = decodeExactly(holderAbi, calldata)
  if (call === undefined) return undefined
  const [operator, tokenIn, amountIn, target, data] = call.args
  if (!sameAddress(operator, target)) return undefined
  try {
    // The actions are opaque anyway, so these bytes may have another encoding. Any other function could spend old allowances.
    const [[recipient, tokenOut, minAmountOut]] = decodeFunctionData({ abi: settlerAbi, data }).args
    const unwraps = isNative(tokenOut)
    return { tokenIn, amountIn, tokenOut, minAmountOut, recipient, unwraps, warning: unread("0x") }
  } catch {
    return undefined
  }
}
