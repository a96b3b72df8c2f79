/** Reads calls of the routers for the concentrated pools of Aerodrome and Velodrome. */
import { parseAbi } from "../../core/Viem.ts"
import { decodeExactly } from "../Calldata.ts"
import type { SwapReader } from "../SwapCall.ts"
import { deadlined } from "./Deadlined.ts"

const abi = /* @__PURE__ */ parseAbi([
  "function exactInputSingle((address,address,int24,address,uint256,uint256,uint256,uint160))"
])

/** Reads a swap of an exact amount, whose pools are named by their tick spacings. */
export const readSlipstreamCall: SwapReader = /* @__PURE__ */ deadlined((data) => decodeExactly(abi, data)?.args[0])
