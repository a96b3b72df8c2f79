/** Reads calls of this project's router for Uniswap v4. */
import { parseAbi } from "../../core/Viem.ts"
import { isZeroAddress } from "../../model/Address.ts"
import { decodeExactly } from "../Calldata.ts"
import { NATIVE } from "../Native.ts"
import type { SwapReader } from "../SwapCall.ts"

/**
 * Tokens, recipient, amount, least output, deadline, true if the input is unwrapped, and the pools: currency, fee, tick spacing, hook. The
 * contract itself refuses pools that do not lead from the one token to the other.
 */
const abi = /* @__PURE__ */ parseAbi([
  "function exactInput((address,address,address,uint256,uint256,uint256,bool,(address,uint24,int24,address)[]))"
])

/** Reads a swap of an exact amount along pools, whose hooks cannot change its terms. */
export const readUniswapV4Call: SwapReader = (_, calldata) => {
  const call = decodeExactly(abi, calldata)
  if (call === undefined) return undefined
  const [tokenIn, tokenOut, recipient, amountIn, minAmountOut, , , hops] = call.args[0]
  if (hops.length === 0 || isZeroAddress(tokenIn)) return undefined
  const unwraps = isZeroAddress(tokenOut)
  return { tokenIn, amountIn, tokenOut: unwraps ? NATIVE : tokenOut, minAmountOut, recipient, unwraps }
}
