/** The rule by which a token of one chain has a counterpart on another. It needs no library, so that a page can hold it at no cost. */

/** Tokens of a chain by the name of their asset, all in one form. */
type Assets<Token extends string> = Readonly<Record<string, Token>> | undefined

/** The token under the same name on the other chain. Undefined if no name, or more than one, has the token. */
export const sameAsset = <Token extends string>(
  from: Assets<Token>,
  token: Token,
  to: Assets<Token>
): Token | undefined => {
  const names = Object.entries(from ?? {}).filter(([, address]) => address === token)
  const [name] = names[0] ?? []
  return name === undefined || names.length > 1 ? undefined : to?.[name]
}
