/** Decodes calldata only if it has no other interpretation. */
import { type Abi, type DecodeFunctionDataReturnType, decodeFunctionData, encodeFunctionData } from "viem"
import type { Hex } from "../../domain/Hex.ts"

/**
 * Decodes a call. Returns undefined if the function is not in the ABI, or the bytes are not exactly those that encoding produces:
 * surplus bytes could have a meaning that the checks do not see.
 */
export const decode = <const A extends Abi>(abi: A, calldata: Hex): DecodeFunctionDataReturnType<A> | undefined => {
  const data: Hex = `0x${calldata.slice(2).toLowerCase()}`
  try {
    const call = decodeFunctionData({ abi, data })
    const { args, functionName } = call as { readonly functionName: string; readonly args: ReadonlyArray<unknown> }
    return encodeFunctionData({ abi: abi as Abi, functionName, args }) === data ? call : undefined
  } catch {
    return undefined
  }
}
