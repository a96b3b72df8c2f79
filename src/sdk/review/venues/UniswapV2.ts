/** Reads calls of Uniswap's v2 router, and of those that share its interface: SushiSwap and PancakeSwap v2. */
import { parseAbi } from "../../core/Viem.ts"
import { decodeExactly } from "../Calldata.ts"
import type { SwapReader } from "../SwapCall.ts"

/** Amount, least output, path, recipient and deadline. */
const abi = /* @__PURE__ */ parseAbi([
  "function swapExactTokensForTokens(uint256,uint256,address[],address,uint256)",
  "function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256,uint256,address[],address,uint256)",
  "function swapExactTokensForETH(uint256,uint256,address[],address,uint256)",
  "function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256,uint256,address[],address,uint256)"
])

/** Reads a swap of an exact amount along a path of pairs. */
export const readUniswapV2Call: SwapReader = (_, calldata) => {
  const call = decodeExactly(abi, calldata)
  if (call === undefined) return undefined
  const [amountIn, minAmountOut, [tokenIn, ...others], recipient] = call.args
  const tokenOut = others.at(-1)
  if (tokenIn === undefined || tokenOut === undefined) return undefined
  return { tokenIn, amountIn, tokenOut, minAmountOut, recipient, unwraps: /ForETH/.test(call.functionName) }
}
