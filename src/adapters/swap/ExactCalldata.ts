/** Decodes calldata only if it has no other interpretation. */
import {
  type Abi,
  type AbiFunction,
  decodeAbiParameters,
  type DecodeFunctionDataReturnType,
  encodeAbiParameters,
  toFunctionSelector
} from "viem"
import type { Hex } from "../../domain/Hex.ts"

/** Functions of an ABI by their selectors, which viem would hash for every call. */
const functions = new WeakMap<Abi, ReadonlyMap<string, AbiFunction>>()

const functionsOf = (abi: Abi): ReadonlyMap<string, AbiFunction> => {
  const known = functions.get(abi)
  if (known !== undefined) return known
  const made = new Map(abi.flatMap((item) => (item.type === "function" ? [[toFunctionSelector(item), item]] : [])))
  functions.set(abi, made)
  return made
}

/** Digits of a selector, with its prefix. */
const SELECTOR = 10

/**
 * Decodes a call. Returns undefined if the function is not in the ABI, or the bytes are not exactly those that encoding produces:
 * surplus bytes could have a meaning that the checks do not see.
 */
export const decode = <const A extends Abi>(abi: A, calldata: Hex): DecodeFunctionDataReturnType<A> | undefined => {
  const data = calldata.toLowerCase()
  const called = functionsOf(abi).get(data.slice(0, SELECTOR))
  if (called === undefined) return undefined
  const { inputs, name: functionName } = called
  const encoded: Hex = `0x${data.slice(SELECTOR)}`
  try {
    const args = inputs.length === 0 ? undefined : decodeAbiParameters(inputs, encoded)
    return encodeAbiParameters(inputs, args ?? []) === encoded
      ? ({ functionName, args } as DecodeFunctionDataReturnType<A>)
      : undefined
  } catch {
    return undefined
  }
}
