/** Token lists in the Uniswap format, from files and the network. Their entries are untrusted and decoded one by one. */
import { Option, Schema } from "effect"
import type { ChainId } from "./ChainId.ts"
import { isNative, TokenInfo } from "./Token.ts"
import * as TokenText from "./TokenText.ts"

/** Tokens that are read of one list. */
const MAX_TOKENS = 20_000

/** Tokens of all lists together that are kept of one chain, since each costs a read of every portfolio. */
export const MAX_ON_CHAIN = 5_000

export const Document = Schema.Struct({ tokens: Schema.Array(Schema.Unknown) })

const decodeEntry = Schema.decodeUnknownOption(TokenInfo)

/** The usable tokens of a list. Texts are bounded, and logos are left out. */
export const tokensOf = ({ tokens }: typeof Document.Type): ReadonlyArray<TokenInfo> =>
  tokens
    .slice(0, MAX_TOKENS)
    .flatMap((entry) =>
      Option.toArray(decodeEntry(entry)).flatMap(({ address, chainId, decimals, name, symbol }) =>
        isNative(address)
          ? []
          : [{ chainId, address, symbol: TokenText.symbol(symbol), name: TokenText.name(name), decimals }]
      )
    )

/** The tokens of a chain on any of the lists. A token on several lists has the entry of the first. */
export const merged = (lists: ReadonlyArray<ReadonlyArray<TokenInfo>>, chainId: ChainId): ReadonlyArray<TokenInfo> => {
  const found = new Map<string, TokenInfo>()
  for (const list of lists) {
    for (const token of list) {
      if (found.size >= MAX_ON_CHAIN) return [...found.values()]
      if (token.chainId === chainId && !found.has(token.address)) found.set(token.address, token)
    }
  }
  return [...found.values()]
}
