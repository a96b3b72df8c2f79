/**
 * Tokens on different chains that are the same asset, so that a bridge may pay out one for the other.
 *
 * The only evidence is the operator's token list: two entries are the same asset if symbol and decimals agree. Anyone
 * can claim a symbol, so the lists must be curated: an entry that pretends to be USDC would be bridged to as USDC.
 * Nothing is read from the token contracts, whose symbols prove even less.
 */
import { Option } from "effect"
import type * as Address from "./Address.ts"
import type { Chain } from "./Chain.ts"
import type { TokenInfo } from "./Token.ts"

/** Fields of a chain that decide. */
export type Listing = Pick<Chain, "id" | "nativeSymbol" | "wrappedNative" | "tokens">

/** ERC-20s of a chain that may have a counterpart: its list, plus the wrapped native currency if unlisted. */
const candidates = (chain: Listing): ReadonlyArray<TokenInfo> =>
  chain.tokens.some((token) => token.address === chain.wrappedNative)
    ? chain.tokens
    : [
        ...chain.tokens,
        {
          chainId: chain.id,
          address: chain.wrappedNative,
          symbol: `W${chain.nativeSymbol}`,
          name: `Wrapped ${chain.nativeSymbol}`,
          decimals: 18
        }
      ]

/**
 * The token on `to` that is the same asset as the ERC-20 `token` on `from`. None if the token is not listed, has no
 * counterpart, or if a chain lists its symbol more than once, which is ambiguous.
 */
export const equivalent = (from: Listing, token: Address.Address, to: Listing): Option.Option<TokenInfo> => {
  const source = candidates(from)
  const listed = source.find((entry) => entry.address === token)
  if (listed === undefined) return Option.none()
  const sameSymbol = (entry: TokenInfo) => entry.symbol === listed.symbol
  const [counterpart, ...others] = candidates(to).filter(sameSymbol)
  const ambiguous = others.length > 0 || source.filter(sameSymbol).length > 1
  return counterpart !== undefined && !ambiguous && counterpart.decimals === listed.decimals
    ? Option.some(counterpart)
    : Option.none()
}
