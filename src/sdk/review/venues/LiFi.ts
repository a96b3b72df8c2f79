/** Reads calls of LI.FI's diamond that swap on one chain. The calls that it makes to exchanges are not read. */
import { parseAbi } from "../../core/Viem.ts"
import { isZeroAddress } from "../../model/Address.ts"
import { decodeExactly } from "../Calldata.ts"
import { NATIVE } from "../Native.ts"
import type { SwapReader } from "../SwapCall.ts"
import { unread } from "./Unread.ts"

/** Id, names of the app and its referrer, recipient, least output, and each step: target, spender, tokens, amount, call, deposit. */
const abi = /* @__PURE__ */ parseAbi([
  "function swapTokensSingleV3ERC20ToERC20(bytes32,string,string,address,uint256,(address,address,address,address,uint256,bytes,bool))",
  "function swapTokensSingleV3ERC20ToNative(bytes32,string,string,address,uint256,(address,address,address,address,uint256,bytes,bool))",
  "function swapTokensMultipleV3ERC20ToERC20(bytes32,string,string,address,uint256,(address,address,address,address,uint256,bytes,bool)[])",
  "function swapTokensMultipleV3ERC20ToNative(bytes32,string,string,address,uint256,(address,address,address,address,uint256,bytes,bool)[])",
  "function swapTokensGeneric(bytes32,string,string,address,uint256,(address,address,address,address,uint256,bytes,bool)[])"
])

type Call = NonNullable<ReturnType<typeof decodeExactly<typeof abi>>>
type Step = Extract<Call, { readonly functionName: `${string}Single${string}` }>["args"][5]

const stepsOf = (call: Call): ReadonlyArray<Step> =>
  call.functionName === "swapTokensSingleV3ERC20ToERC20" || call.functionName === "swapTokensSingleV3ERC20ToNative"
    ? [call.args[5]]
    : call.args[5]

/** Reads a swap in which only the first step takes a token of the owner. */
export const readLiFiCall: SwapReader = (_, calldata) => {
  const call = decodeExactly(abi, calldata)
  if (call === undefined) return undefined
  const [first, ...others] = stepsOf(call)
  // A later deposit would spend what the owner allowed the diamond before.
  if (first === undefined || !first[6] || others.some((step) => step[6])) return undefined
  const [, , , recipient, minAmountOut] = call.args
  const received = (others.at(-1) ?? first)[3]
  const unwraps = isZeroAddress(received)
  // The function and the token must agree on native currency. The generic function goes by the token.
  if (call.functionName !== "swapTokensGeneric" && unwraps !== /ToNative/.test(call.functionName)) return undefined
  return {
    tokenIn: first[2],
    amountIn: first[4],
    tokenOut: unwraps ? NATIVE : received,
    minAmountOut,
    recipient,
    unwraps,
    warning: unread("LI.FI")
  }
}
