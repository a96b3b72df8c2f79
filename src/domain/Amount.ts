/**
 * Token amounts: a uint256 in the token's smallest unit. A decimal string on the wire, a `bigint` inside, never a
 * `number`.
 */
import { Schema, SchemaTransformation } from "effect"

export const MAX_UINT256 = 2n ** 256n - 1n

const EXPECTED = "expected a non-negative integer as a decimal string"

/** 2^256 − 1 has 78 digits. A longer string is an overflow or padded with zeros, and is rejected unparsed. */
const MAX_DIGITS = 78

/** Decodes a non-negative decimal string that fits a uint256, with or without leading zeros. Encodes without them. */
export const Uint256 = Schema.String.annotate({ message: EXPECTED })
  .pipe(
    Schema.check(
      Schema.isPattern(/^[0-9]+$/, { message: EXPECTED }),
      Schema.isMaxLength(MAX_DIGITS, { message: `must have at most ${MAX_DIGITS} digits` })
    ),
    Schema.decodeTo(
      Schema.BigInt.pipe(
        Schema.check(Schema.makeFilter((value: bigint) => value <= MAX_UINT256 || "must be at most 2^256 - 1"))
      ),
      SchemaTransformation.transform({
        decode: (text) => BigInt(text),
        encode: (value) => value.toString()
      })
    )
  )
  .annotate({ identifier: "Uint256", description: "a uint256 as a decimal string" })

export type Uint256 = typeof Uint256.Type

/** Sum of amounts, which may exceed a uint256. A decimal string on the wire. */
export const Sum = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^-?[0-9]+$/, { message: "expected an integer as a decimal string" })),
  Schema.decodeTo(
    Schema.BigInt,
    SchemaTransformation.transform({ decode: (text) => BigInt(text), encode: (value) => value.toString() })
  )
).annotate({ identifier: "Sum", description: "a sum of amounts as a decimal string" })

/** ⌈a × b ÷ c⌉ for non-negative a and b and positive c. */
export const mulDivUp = (a: bigint, b: bigint, c: bigint): bigint => (a * b + c - 1n) / c

/** ⌊a × b ÷ c⌋ for non-negative a and b and positive c. */
export const mulDivDown = (a: bigint, b: bigint, c: bigint): bigint => (a * b) / c

/** Number of basis points in 1. One basis point is 0.01 %. */
export const BPS = 10_000n

/** The amount minus `bps` basis points, rounded down: the minimum output at a slippage tolerance of `bps`. */
export const lessBps = (amount: bigint, bps: number): bigint => mulDivDown(amount, BPS - BigInt(bps), BPS)

/** An amount of a token with 18 decimals in whole tokens, for reports only: the result is rounded. */
export const inNativeUnits = (wei: bigint): number => Number(wei) / 1e18
