/**
 * Compares the code of a contract with what its sources compile to. The compiler leaves immutables zero, and says where they are, so
 * their words are left out, and their values are compared by name. Pure.
 */
import { sliceHex } from "viem"
import { type Hex, size } from "../../../domain/Hex.ts"
import type { Immutables } from "./Deployment.ts"

/** Bytes of a word on the stack, which every place of an immutable has. */
const WORD = 32

/** Runtime code as the compiler returns it. */
export interface CompiledCode {
  /** Code with zeros for the immutables. */
  readonly runtimeCode: Hex
  /** Offsets in bytes of the places of each immutable. */
  readonly immutables: Readonly<Record<string, ReadonlyArray<number>>>
}

export type Comparison =
  | { readonly state: "no_code" }
  | {
      readonly state: "equal"
      /** Values that the constructor filled in. */
      readonly immutables: Immutables
    }
  | {
      readonly state: "differs"
      /** One sentence for each difference. */
      readonly differences: ReadonlyArray<string>
    }

const lower = (code: Hex): Hex => `0x${code.slice(2).toLowerCase()}`

/** The word as a number has it, so that `0x1` and 32 bytes that end with 1 are the same value. */
const sameWord = (a: Hex, b: Hex): boolean => BigInt(a) === BigInt(b)

/** The code with zeros at the places of immutables. Places beyond its end are ignored. */
export const masked = (code: Hex, immutables: CompiledCode["immutables"]): Hex => {
  const digits = [...code.slice(2).toLowerCase()]
  for (const offset of Object.values(immutables).flat()) {
    const [from, to] = [2 * offset, Math.min(2 * (offset + WORD), digits.length)]
    if (from < to) digits.fill("0", from, to)
  }
  return `0x${digits.join("")}`
}

/** The distinct words at the places of an immutable. A constructor writes the same one to all of them. */
const wordsAt = (code: Hex, places: ReadonlyArray<number>): ReadonlyArray<Hex> => [
  ...new Set(places.map((offset) => lower(sliceHex(code, offset, offset + WORD))))
]

/** Offset in bytes of the first difference of two codes of the same size. */
const firstDifference = (a: Hex, b: Hex): number => {
  const at = [...a].findIndex((digit, index) => digit !== b[index])
  return Math.floor((at - 2) / 2)
}

const differencesOfImmutables = (code: Hex, compiled: CompiledCode, expected: Immutables): ReadonlyArray<string> =>
  Object.entries(compiled.immutables).flatMap(([name, places]) => {
    const words = wordsAt(code, places)
    const [word] = words
    const wanted = expected[name]
    if (words.length > 1) return [`the immutable ${name} has different values: ${words.join(", ")}`]
    if (word === undefined || wanted === undefined) return [`the immutable ${name} has no expected value`]
    return sameWord(word, wanted) ? [] : [`the immutable ${name} is ${word}, and the settings say ${lower(wanted)}`]
  })

/** Compares deployed code with compiled code, and its immutables with `expected`. */
export const compare = (compiled: CompiledCode, code: Hex | undefined, expected: Immutables): Comparison => {
  if (code === undefined || size(code) === 0) return { state: "no_code" }
  const [here, there] = [size(compiled.runtimeCode), size(code)]
  if (here !== there) {
    return { state: "differs", differences: [`the code has ${there} bytes, and the sources compile to ${here}`] }
  }
  const [ours, theirs] = [masked(compiled.runtimeCode, compiled.immutables), masked(code, compiled.immutables)]
  const differences = [
    ...(ours === theirs ? [] : [`the code differs from byte ${firstDifference(ours, theirs)} on`]),
    ...differencesOfImmutables(code, compiled, expected)
  ]
  if (differences.length > 0) return { state: "differs", differences }
  const words = Object.entries(compiled.immutables).map(([name, places]) => [name, wordsAt(code, places)[0] ?? "0x"])
  return { state: "equal", immutables: Object.fromEntries(words) }
}
