/** Tokens as token lists describe them, and the sentinel that stands for a chain's native currency. */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import { ChainId } from "./ChainId.ts"

/** Stands for the chain's native currency wherever a token address is expected (the convention of 0x, 1inch and LI.FI). */
export const NATIVE: Address.Address = Address.of("0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee")

export const isNative = (token: Address.Address): boolean => token === NATIVE

/** One entry of a Uniswap-format token list. */
export const TokenInfo = Schema.Struct({
  chainId: ChainId,
  address: Address.NonZeroAddress,
  symbol: Schema.String,
  name: Schema.String,
  decimals: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 77 })),
  logoURI: Schema.optionalKey(Schema.String)
})
export type TokenInfo = typeof TokenInfo.Type
