/** Code of the delegate that accepts every signature, for simulations of orders that nobody has signed. */
import { hexToBytes, bytesToHex } from "viem"
import type { Hex } from "../../../domain/Hex.ts"
import { sweepDelegate } from "../abi/contracts.generated.ts"
import { unsignedSweepDelegate } from "../abi/simulation.generated.ts"

const WORD = 32

/** Immutable values, by name: words that the constructor wrote into the code. */
type Immutables = Readonly<Record<string, ReadonlyArray<number>>>

/** Returns the code with the immutable values of the chain's delegate; undefined if `delegate` is not a delegate's code. */
export const unsignedDelegate = (delegate: Hex): Hex | undefined => {
  const deployed = hexToBytes(delegate)
  if (deployed.length !== hexToBytes(sweepDelegate.runtimeCode).length) return undefined
  const code = hexToBytes(unsignedSweepDelegate.runtimeCode)
  const sources: Immutables = sweepDelegate.immutables
  for (const [name, places] of Object.entries<ReadonlyArray<number>>(unsignedSweepDelegate.immutables)) {
    const [source] = sources[name] ?? []
    if (source === undefined) throw new Error(`the delegate has no immutable ${name}`)
    const word = deployed.subarray(source, source + WORD)
    for (const place of places) code.set(word, place)
  }
  return bytesToHex(code)
}
