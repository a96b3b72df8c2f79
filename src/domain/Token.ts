/** Entries of token lists, and the sentinel of a chain's native currency. */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import { ChainId } from "./ChainId.ts"
import { described } from "./Described.ts"

/** Sentinel for the chain's native currency in place of a token address (the convention of 0x, 1inch and LI.FI). */
export const NATIVE: Address.Address = Address.of("0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee")

export const isNative = (token: Address.Address): boolean => token === NATIVE

/** Entry of a Uniswap-format token list. */
export const TokenInfo = Schema.Struct({
  chainId: described(ChainId, "Chain of the token."),
  address: described(Address.NonZeroAddress, "Contract of the token. 0xEeee…EEeE stands for the native currency."),
  symbol: described(Schema.String, "Symbol of the token."),
  name: described(Schema.String, "Name of the token."),
  decimals: described(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 77 })), "Decimals of the token."),
  logoURI: described(Schema.optionalKey(Schema.String), "URL of the logo.")
})
export type TokenInfo = typeof TokenInfo.Type
