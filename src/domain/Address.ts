/**
 * EVM account addresses.
 *
 * On the wire, an address is `0x` plus 40 hex digits in any case (spec, "Conventions"). Case has no meaning there, so a
 * wrong EIP-55 checksum is accepted. Inside the service every address is checksummed, so that `===` compares addresses.
 */
import { Schema, SchemaTransformation } from "effect"
import { keccak256, stringToBytes, zeroAddress } from "viem"
import { Prefixed } from "./Hex.ts"

const Checksummed = Prefixed.pipe(Schema.brand("Address"))

/** An EIP-55 checksummed address. */
export type Address = typeof Checksummed.Type

const EXPECTED = "expected an address: 0x followed by 40 hex digits"

/** Decodes any 40-hex address to its checksummed form; encodes to the checksummed form. */
export const Address = Schema.String.annotate({ message: EXPECTED })
  .pipe(
    Schema.check(Schema.isPattern(/^0x[0-9a-fA-F]{40}$/, { message: EXPECTED })),
    Schema.decodeTo(
      Checksummed,
      SchemaTransformation.transform({
        decode: (text): `0x${string}` => of(text),
        encode: (address): string => address
      })
    )
  )
  .annotate({ identifier: "Address", description: "0x plus 40 hex digits" })

/** Size of the cache of checksummed addresses. Hashing an address costs more than all other work with it. */
const REMEMBERED = 20_000

const remembered = new Map<string, Address>()

const remember = (text: string, address: Address): Address => {
  if (remembered.size >= REMEMBERED) remembered.clear()
  remembered.set(text, address)
  return address
}

/** EIP-55: a letter is a capital where the hash of the lower-case digits has a digit above 7 in its place. */
export const checksummed = (digits: string, hash: string): Address => {
  let text = "0x"
  for (let index = 0; index < digits.length; index++) {
    const digit = digits.charAt(index)
    text += hash.charAt(index) > "7" ? digit.toUpperCase() : digit
  }
  // A signer is met again in the receipt of its sweep.
  return remember(`0x${digits}`, text as Address)
}

/** Checksums an address that is known to be well formed, such as one that a node or viem returned. */
export const of = (address: string): Address => {
  const known = remembered.get(address)
  if (known !== undefined) return known
  const digits = address.slice(2).toLowerCase()
  return remember(address, checksummed(digits, keccak256(stringToBytes(digits)).slice(2)))
}

/**
 * Casts an address that this service has checksummed before, e.g. one from its own tables. It is not validated again.
 */
export const stored = (address: string): Address => address as Address

/** `0x000…0`. In an order it means "no builder". */
export const zero: Address = of(zeroAddress)

export const isZero = (address: Address): boolean => address === zero

/** Address of an account that can own or receive: every address except zero, which nobody controls. */
export const NonZeroAddress = Address.pipe(
  Schema.check(Schema.makeFilter((address: Address) => !isZero(address) || "must not be the zero address"))
).annotate({ identifier: "NonZeroAddress", description: "0x plus 40 hex digits, not all zero" })
