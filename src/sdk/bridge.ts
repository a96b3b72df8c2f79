/**
 * What a bridge call promises. An order across chains has no minimum of its own (the delegate cannot see the other chain), so
 * what arrives, where and whose it is stand in `swapCalldata` alone: the review reads it, and does not take anyone's word.
 */
import { decodeFunctionData, encodeFunctionData, parseAbi } from "viem"
import type { Address, Hex } from "./types.ts"

/** Across's `SpokePool.depositV3`. */
const depositAbi = parseAbi([
  "function depositV3(address depositor, address recipient, address inputToken, address outputToken, uint256 inputAmount, uint256 outputAmount, uint256 destinationChainId, address exclusiveRelayer, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityParameter, bytes message) payable"
])

export interface BridgeCall {
  /** Gets the tokens back if nobody fills the deposit. */
  readonly depositor: Address
  readonly recipient: Address
  readonly inputToken: Address
  readonly inputAmount: bigint
  readonly outputToken: Address
  readonly outputAmount: bigint
  readonly destChainId: bigint
}

/** The deposit that the calldata makes; undefined for anything that is not exactly such a call. */
export const readBridgeCall = (calldata: Hex): BridgeCall | undefined => {
  const data: Hex = `0x${calldata.slice(2).toLowerCase()}`
  try {
    const { args, functionName } = decodeFunctionData({ abi: depositAbi, data })
    // Bytes after the arguments, or a message, would give the call a meaning that is not shown.
    if (args[11] !== "0x" || encodeFunctionData({ abi: depositAbi, functionName, args }) !== data) return undefined
    return {
      depositor: args[0],
      recipient: args[1],
      inputToken: args[2],
      outputToken: args[3],
      inputAmount: args[4],
      outputAmount: args[5],
      destChainId: args[6]
    }
  } catch {
    return undefined
  }
}
