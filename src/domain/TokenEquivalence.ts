/**
 * Tokens on different chains that are the same asset, so that a bridge may pay out one for the other.
 *
 * The only evidence are the chains' `assets`: built-in facts and statements of the operator. Anyone can claim a symbol, so symbols and
 * decimals decide nothing. The two tokens may have other decimals, which the token lists say.
 */
import { Option } from "effect"
import type * as Address from "./Address.ts"
import { sameAsset } from "./SameAsset.ts"
import type { Chain } from "./Chain.ts"
import type { TokenInfo } from "./Token.ts"

/** Fields of a chain that decide. */
export type Listing = Pick<Chain, "wrappedNative" | "tokens" | "assets">

/** Two tokens that are one asset. */
export interface Tie {
  /** Decimals of the token that was asked for. */
  readonly decimals: number
  readonly counterpart: Pick<TokenInfo, "address" | "decimals">
}

/** Address and decimals of a token. The wrapped native currency need not be listed. */
const listed = ({ tokens, wrappedNative }: Listing, token: Address.Address): Option.Option<Tie["counterpart"]> =>
  Option.orElse(Option.fromUndefinedOr(tokens.find(({ address }) => address === token)), () =>
    token === wrappedNative ? Option.some({ address: token, decimals: 18 }) : Option.none()
  )

/**
 * The token on `to` that is the same asset as the ERC-20 `token` on `from`, with the decimals of both. None if a chain does not list its
 * token, or if no asset has both.
 */
export const tie = (from: Listing, token: Address.Address, to: Listing): Option.Option<Tie> => {
  const other = sameAsset(from.assets, token, to.assets)
  if (other === undefined) return Option.none()
  return Option.all({
    decimals: Option.map(listed(from, token), ({ decimals }) => decimals),
    counterpart: listed(to, other)
  })
}

/** The counterpart of {@link tie}. */
export const equivalent = (from: Listing, token: Address.Address, to: Listing): Option.Option<Tie["counterpart"]> =>
  Option.map(tie(from, token, to), ({ counterpart }) => counterpart)
