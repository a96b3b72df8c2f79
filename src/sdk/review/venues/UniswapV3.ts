/** Reads calls of Uniswap's first v3 SwapRouter, and of those that share its interface, as SushiSwap's. */
import { parseAbi } from "../../core/Viem.ts"
import { decodeExactly } from "../Calldata.ts"
import type { SwapReader } from "../SwapCall.ts"
import { deadlined } from "./Deadlined.ts"

const abi = /* @__PURE__ */ parseAbi([
  "function exactInputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))"
])

/** Reads a swap of an exact amount, whose pools are named by their fees. */
export const readUniswapV3Call: SwapReader = /* @__PURE__ */ deadlined((data) => decodeExactly(abi, data)?.args[0])
