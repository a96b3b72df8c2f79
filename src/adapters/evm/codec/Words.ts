/**
 * Words of the ABI, as hexadecimal digits without `0x`. Written by hand, because a wallet of 50 tokens makes and reads thousands of calls,
 * for which viem takes several times as long.
 */
import type * as Address from "../../../domain/Address.ts"
import type { Hex } from "../../../domain/Hex.ts"

/** Bytes of a word. */
export const WORD = 32
const DIGITS = 2 * WORD

/** A number that is not negative. */
export const ofNumber = (value: bigint | number): string => value.toString(16).padStart(DIGITS, "0")

/** Digits before those of an address. */
const ADDRESS_ZEROS = "0".repeat(DIGITS - 40)

export const ofAddress = (address: Address.Address): string => ADDRESS_ZEROS + address.slice(2).toLowerCase()

/** The number of the bytes, and the bytes, filled up to whole words. */
export const ofBytes = (data: Hex): string => {
  const digits = data.length - 2
  return ofNumber(digits / 2) + data.slice(2).padEnd(Math.ceil(digits / DIGITS) * DIGITS, "0")
}

/** A list of tuples of varying size as the only argument or result: its offset, its length, the offsets of the tuples, the tuples. */
export const ofList = (tuples: ReadonlyArray<string>): string => {
  let offset = WORD * tuples.length
  const offsets = tuples.map((tuple) => {
    const word = ofNumber(offset)
    offset += tuple.length / 2
    return word
  })
  return `${ofNumber(WORD)}${ofNumber(tuples.length)}${offsets.join("")}${tuples.join("")}`
}

/** Digits of a word before the last four bytes. They are zero in every offset and length that data can have. */
const HIGH_ZEROS = "0".repeat(DIGITS - 8)

/** Reads words and bytes at byte offsets of data that may be malformed or end early. */
export interface Reader {
  /** A word of at most four bytes. Not a number if there is none at the offset; comparisons with that are false. */
  readonly numberAt: (byte: number) => number
  /** A word, which must be in the data. */
  readonly wordAt: (byte: number) => bigint
  /** Bytes with their length before them. Undefined if they do not end within the data. */
  readonly bytesAt: (byte: number) => Hex | undefined
  /** Offsets of the tuples of {@link ofList}. Undefined if there is no such list. */
  readonly list: () => ReadonlyArray<number> | undefined
}

export const reader = (data: Hex): Reader => {
  const size = (data.length - 2) / 2

  const numberAt = (byte: number): number => {
    const start = 2 + 2 * byte
    return byte + WORD <= size && data.startsWith(HIGH_ZEROS, start)
      ? Number.parseInt(data.slice(start + HIGH_ZEROS.length, start + DIGITS), 16)
      : Number.NaN
  }

  const wordAt = (byte: number): bigint => BigInt(`0x${data.slice(2 + 2 * byte, 2 + 2 * byte + DIGITS)}`)

  const bytesAt = (byte: number): Hex | undefined => {
    const end = byte + WORD + numberAt(byte)
    return end <= size ? `0x${data.slice(2 + 2 * (byte + WORD), 2 + 2 * end)}` : undefined
  }

  const list = (): ReadonlyArray<number> | undefined => {
    const place = numberAt(0)
    const count = numberAt(place)
    const first = place + WORD
    return first + count * WORD <= size
      ? Array.from({ length: count }, (_, index) => first + numberAt(first + index * WORD))
      : undefined
  }

  return { numberAt, wordAt, bytesAt, list }
}
