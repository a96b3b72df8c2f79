/**
 * Names and symbols of tokens as they are safe to show. Anyone can deploy a token with a name of any length, with characters that
 * reverse the text around them, or with a hundred marks on one letter.
 */

/** Control, format (bidirectional and invisible), private and unassigned characters, and separators of lines. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]/gu

/** More than two marks on one letter. */
const PILED = /(\p{M}{2})\p{M}+/gu

/** At most `most` characters on one line, with an ellipsis if it was longer. `?` if nothing is left. */
export const plainText = (text: string, most: number): string => {
  const plain = Array.from(text.replace(UNSEEN, "").replace(PILED, "$1").replace(/\s+/gu, " ").trim())
  if (plain.length === 0) return "?"
  return plain.length <= most ? plain.join("") : `${plain.slice(0, most - 1).join("")}…`
}

const MOST_IN_SYMBOL = 14
const MOST_IN_NAME = 60

/** A token with its symbol and name made safe to show. */
export const plainToken = <Token extends { readonly symbol: string; readonly name: string }>(token: Token): Token => ({
  ...token,
  symbol: plainText(token.symbol, MOST_IN_SYMBOL),
  name: plainText(token.name, MOST_IN_NAME)
})

/** A chain with its name and the symbol of its currency made safe to show. */
export const plainChain = <Chain extends { readonly name: string; readonly nativeSymbol: string }>(
  chain: Chain
): Chain => ({
  ...chain,
  name: plainText(chain.name, MOST_IN_NAME),
  nativeSymbol: plainText(chain.nativeSymbol, MOST_IN_SYMBOL)
})
