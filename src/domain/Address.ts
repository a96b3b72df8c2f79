/**
 * EVM account addresses.
 *
 * On the wire an address is `0x` plus 40 hex digits in any case (spec, "Conventions"): case carries no meaning there, so a
 * wrong EIP-55 checksum is accepted. Inside the service every address is checksummed, so that `===` compares addresses.
 */
import { Schema, SchemaTransformation } from "effect"
import { getAddress, zeroAddress } from "viem"

const Checksummed = Schema.TemplateLiteral(["0x", Schema.String]).pipe(Schema.brand("Address"))

/** An EIP-55 checksummed address. */
export type Address = typeof Checksummed.Type

/** Decodes any 40-hex address to its checksummed form; encodes to the checksummed form. */
export const Address = Schema.String.pipe(
  Schema.check(
    Schema.isPattern(/^0x[0-9a-fA-F]{40}$/, { message: "expected an address: 0x followed by 40 hex digits" })
  ),
  Schema.decodeTo(
    Checksummed,
    SchemaTransformation.transform({
      decode: (text): `0x${string}` => getAddress(text.toLowerCase()),
      encode: (address): string => address
    })
  )
).annotate({ identifier: "Address", description: "0x plus 40 hex digits" })

/** Normalises an address that is known to be well formed, such as one that a node or viem returned. */
export const of = (address: string): Address => getAddress(address.toLowerCase()) as Address

/** `0x000…0`. In an order it means "no builder". */
export const zero: Address = of(zeroAddress)

export const isZero = (address: Address): boolean => address === zero

/** An address of an account that can own or receive: any but the zero address, which nobody controls. */
export const NonZeroAddress = Address.pipe(
  Schema.check(Schema.makeFilter((address: Address) => !isZero(address) || "must not be the zero address"))
).annotate({ identifier: "NonZeroAddress", description: "0x plus 40 hex digits, not all zero" })
