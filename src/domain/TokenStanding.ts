/**
 * Tells tokens that deserve a warning from the others. Anybody can send anybody a token with any name, so a token that no list has may
 * pose as a well-known one or advertise a site. Such tokens are marked and never hidden.
 */
import { Schema } from "effect"
import type * as Address from "./Address.ts"
import { type TokenInfo, isNative } from "./Token.ts"
import * as TokenText from "./TokenText.ts"

/**
 * `unlisted`: no list has it. `impersonator`: it has the symbol or the name of a well-known token, or one that looks like it, at another
 * address. `spam`: a provider says so, or its name advertises a site.
 */
export const Standing = Schema.Literals(["unlisted", "impersonator", "spam"])
export type Standing = typeof Standing.Type

/** Source that vouches for a token: the operator's chains file, a token list, or none. */
export type Voucher = "operator" | "list" | "none"

export interface Subject {
  readonly token: Pick<TokenInfo, "address" | "symbol" | "name">
  readonly voucher: Voucher
  /** A provider's flag. */
  readonly isSpam: boolean
}

/** Well-known tokens, by what a reader sees of them. */
export interface Majors {
  /** Addresses of one chain, which are never impersonators. */
  readonly addresses: ReadonlySet<Address.Address>
  /** Of the same chain. */
  readonly symbolsHere: ReadonlySet<string>
  /** Of all chains. */
  readonly symbols: ReadonlySet<string>
  readonly names: ReadonlySet<string>
}

type Named = Pick<TokenInfo, "address" | "symbol" | "name">

/** Symbols and names that are imitated on chains whose lists do not have them. */
const WELL_KNOWN: ReadonlyArray<readonly [symbol: string, name: string]> = [
  ["ETH", "Ethereum"],
  ["ETH", "Ether"],
  ["WETH", "Wrapped Ether"],
  ["USDC", "USD Coin"],
  ["USDT", "Tether USD"],
  ["USDT", "Tether"],
  ["DAI", "Dai Stablecoin"],
  ["WBTC", "Wrapped BTC"],
  ["WBTC", "Wrapped Bitcoin"],
  ["BTC", "Bitcoin"],
  ["BNB", "BNB"],
  ["POL", "Polygon"],
  ["MATIC", "Matic Token"],
  ["stETH", "Lido Staked Ether"],
  ["LINK", "ChainLink Token"],
  ["UNI", "Uniswap"],
  ["ARB", "Arbitrum"],
  ["OP", "Optimism"]
]

const skeletons = (texts: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(texts.map(TokenText.skeleton).filter((text) => text !== ""))

/** The well-known tokens of a chain, and those of other chains, whose symbols are imitated too. */
export const majorsOf = (here: ReadonlyArray<Named>, elsewhere: ReadonlyArray<Named>): Majors => ({
  addresses: new Set(here.map(({ address }) => address)),
  symbolsHere: skeletons(here.map(({ symbol }) => symbol)),
  symbols: skeletons([...[...here, ...elsewhere].map(({ symbol }) => symbol), ...WELL_KNOWN.map(([symbol]) => symbol)]),
  names: skeletons([...[...here, ...elsewhere].map(({ name }) => name), ...WELL_KNOWN.map(([, name]) => name)])
})

/** Sites, and the words by which holders are lured to them. */
const ADVERTISEMENT =
  /https?:|www\.|t\.me\b|[\p{L}\p{N}-]{2,}\.(?:com|org|net|io|xyz|app|site|gift|gifts|top|link|live|cc|vip|club|online|info|lol|ws|cfd|sbs)\b|\b(?:claim|visit|airdrop|voucher|redeem|giveaway|free mint)\b/iu

const advertises = ({ name, symbol }: Named): boolean => ADVERTISEMENT.test(`${symbol} ${name}`.normalize("NFKC"))

const imitates = ({ address, name, symbol }: Named, voucher: Voucher, majors: Majors): boolean => {
  if (isNative(address) || majors.addresses.has(address)) return false
  const seen = TokenText.skeleton(symbol)
  // Lists have bridged forms under the name of the original, and the tokens of other chains.
  if (voucher === "list") return majors.symbolsHere.has(seen)
  return majors.symbols.has(seen) || majors.names.has(TokenText.skeleton(name)) || majors.names.has(seen)
}

/** The standing of a token. Undefined for one without a warning. */
export const standingOf = ({ isSpam, token, voucher }: Subject, majors: Majors): Standing | undefined => {
  if (voucher === "operator" || isNative(token.address) || majors.addresses.has(token.address)) return undefined
  if (imitates(token, voucher, majors)) return "impersonator"
  if (isSpam || (voucher === "none" && advertises(token))) return "spam"
  return voucher === "none" ? "unlisted" : undefined
}

/** True for tokens whose price means nothing: it is not asked for, and they do not count for sums. */
export const isMarked = (standing: Standing | undefined): boolean => standing === "impersonator" || standing === "spam"
