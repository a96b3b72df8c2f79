/** Reads calls of the routers of Aerodrome and Velodrome v2, for their basic pools. */
import { parseAbi } from "../../core/Viem.ts"
import { sameAddress } from "../../model/Address.ts"
import { decodeExactly } from "../Calldata.ts"
import type { SwapReader } from "../SwapCall.ts"

/** Amount, least output, hops (from, to, stable, factory), recipient and deadline. */
const abi = /* @__PURE__ */ parseAbi([
  "function swapExactTokensForTokens(uint256,uint256,(address,address,bool,address)[],address,uint256)",
  "function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256,uint256,(address,address,bool,address)[],address,uint256)",
  "function swapExactTokensForETH(uint256,uint256,(address,address,bool,address)[],address,uint256)",
  "function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256,uint256,(address,address,bool,address)[],address,uint256)"
])

/** Reads a swap of an exact amount over pools, each of which takes what the one before it pays out. */
export const readSolidlyCall: SwapReader = (_, calldata) => {
  const call = decodeExactly(abi, calldata)
  if (call === undefined) return undefined
  const [amountIn, minAmountOut, hops, recipient] = call.args
  const [first, last] = [hops[0], hops.at(-1)]
  if (first === undefined || last === undefined) return undefined
  if (hops.some(([from], index) => !sameAddress(from, hops[index - 1]?.[1] ?? from))) return undefined
  const unwraps = /ForETH/.test(call.functionName)
  return { tokenIn: first[0], amountIn, tokenOut: last[1], minAmountOut, recipient, unwraps }
}
