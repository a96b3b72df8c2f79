/** Account and contract addresses. Case carries no meaning, so addresses are never compared as plain strings. */

/** An address of 20 bytes: `0x` and 40 hexadecimal digits, in any case. */
export type Address = `0x${string}`

/** True for an address in any case. */
export const isAddress = (value: unknown): value is Address =>
  typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value)

/** Compares two addresses without regard to case. */
export const sameAddress = (a: Address, b: Address): boolean => a.toLowerCase() === b.toLowerCase()

export const isZeroAddress = (address: Address): boolean => /^0x0{40}$/.test(address)
