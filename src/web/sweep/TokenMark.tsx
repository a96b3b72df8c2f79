/** A token's mark, drawn from its symbol, with the mark of its chain. No image is loaded. */
import { chainName } from "./catalog.ts"
import { useSession } from "./session.ts"

/** Hue of a text, always the same for the same text. */
const hueOf = (text: string): number => {
  let hash = 7
  for (const character of text) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 3600
  return hash / 10
}

/** A color of fixed lightness, on which white has a contrast above 4.5 : 1 for every hue. */
const ground = (text: string) => ({ background: `oklch(0.47 0.11 ${hueOf(text)})` })

export function TokenMark({
  chainId,
  size = 36,
  symbol
}: {
  readonly symbol: string
  readonly chainId: number
  readonly size?: number
}) {
  const { catalog } = useSession()
  const chain = chainName(catalog.chain(chainId), chainId)
  const small = Math.round(size * 0.42)
  return (
    <span aria-hidden="true" className="relative inline-block shrink-0" style={{ width: size, height: size }}>
      <span
        className="grid size-full place-items-center rounded-full font-semibold text-white"
        style={{ ...ground(symbol), fontSize: size * (symbol.length > 3 ? 0.22 : 0.28) }}
      >
        {symbol.slice(0, 4)}
      </span>
      <span
        className="absolute -right-1.5 -bottom-1 grid place-items-center rounded-sm leading-none font-semibold text-white ring-2 ring-surface"
        style={{ ...ground(chain), width: small, height: small, fontSize: small * 0.62 }}
      >
        {chain.charAt(0)}
      </span>
    </span>
  )
}
