/** Decodes calldata only if it has no other interpretation. */
import type { Abi, DecodeFunctionDataReturnType } from "viem"
import { decodeFunctionData, encodeFunctionData } from "../core/Viem.ts"
import type { Hex } from "../model/Hex.ts"

/**
 * Decodes a call. Returns undefined if the function is not in the ABI, or the bytes are not exactly those that encoding produces:
 * surplus bytes would have a meaning that a review does not show.
 */
export const decodeExactly = <const A extends Abi>(
  abi: A,
  calldata: Hex
): DecodeFunctionDataReturnType<A> | undefined => {
  const data: Hex = `0x${calldata.slice(2).toLowerCase()}`
  try {
    const call = decodeFunctionData({ abi, data })
    const { args, functionName } = call as { readonly functionName: string; readonly args: ReadonlyArray<unknown> }
    return encodeFunctionData({ abi: abi as Abi, functionName, args }) === data ? call : undefined
  } catch {
    return undefined
  }
}
