/**
 * A token's mark with that of its chain. Assets that the catalogue knows by their address have a logo. Others have a coloured monogram, also
 * those with the symbol of a known one. No image is loaded.
 */
import { assetOf, type Place } from "./catalog.ts"
import { chainLogo, type Logo, tokenLogo } from "./logos.ts"
import { useSession } from "./session.ts"

/** Hue of a text, always the same for the same text. */
const hueOf = (text: string): number => {
  let hash = 7
  for (const character of text) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 3600
  return hash / 10
}

/** A color of fixed lightness, on which white has a contrast above 4.5 : 1 for every hue. */
const ground = (text: string) => `oklch(0.47 0.11 ${hueOf(text)})`

function Drawn({ logo, size }: { readonly logo: Logo; readonly size: number }) {
  return (
    <svg aria-hidden="true" className="size-full" height={size} viewBox="0 0 32 32" width={size}>
      <circle cx="16" cy="16" fill={logo.ground} r="16" />
      <path d={logo.path} fill={logo.ink ?? "#fff"} fillRule="evenodd" />
    </svg>
  )
}

const SIZE = 36
const SMALL = 15

export function TokenMark({ token }: { readonly token: Place & { readonly symbol: string } }) {
  const { catalog } = useSession()
  const chain = catalog.chainName(token.chainId)
  const logo = tokenLogo(assetOf(catalog, token))
  const badge = chainLogo(catalog.chain(token.chainId)?.name)
  return (
    <span aria-hidden="true" className="relative inline-block size-9 shrink-0">
      {logo === undefined ? (
        <span
          className="grid size-full place-items-center overflow-hidden rounded-full font-semibold text-white"
          style={{ background: ground(token.symbol), fontSize: token.symbol.length > 3 ? 8 : 11 }}
        >
          {Array.from(token.symbol).slice(0, 4).join("")}
        </span>
      ) : (
        <Drawn logo={logo} size={SIZE} />
      )}
      <span className="absolute -right-1 -bottom-1 size-[15px] overflow-hidden rounded-full ring-2 ring-surface">
        {badge === undefined ? (
          <span
            className="grid size-full place-items-center text-[9px] leading-none font-semibold text-white"
            style={{ background: ground(chain) }}
          >
            {chain.charAt(0)}
          </span>
        ) : (
          <Drawn logo={badge} size={SMALL} />
        )}
      </span>
    </span>
  )
}
