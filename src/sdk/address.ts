/** Addresses are compared without their case: it carries no meaning, and callers spell them as they like. */
import type { Address } from "./types.ts"

export const sameAddress = (a: Address, b: Address): boolean => a.toLowerCase() === b.toLowerCase()

export const isZeroAddress = (address: Address): boolean => /^0x0{40}$/.test(address)
