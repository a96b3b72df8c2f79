/** Chains and tokens of the service, and the rule which token can arrive as which. */
import { Option } from "effect"
import * as Checksummed from "../../domain/Address.ts"
import { equivalent, type Listing } from "../../domain/TokenEquivalence.ts"
import { sameAddress } from "../../sdk/model/Address.ts"
import type { Address, ListedToken, ServedChain } from "../../sdk/index.ts"

export const NATIVE: Address = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"

export interface Catalog {
  readonly chains: ReadonlyArray<ServedChain>
  readonly tokens: ReadonlyArray<ListedToken>
  readonly chain: (id: number) => ServedChain | undefined
  readonly token: (chainId: number, address: Address) => ListedToken | undefined
  readonly tokensOn: (chainId: number) => ReadonlyArray<ListedToken>
  /** The ERC-20 of a chain that is the same asset as another chain's, by the same rule as the service. */
  readonly counterpart: (of: Place, chainId: number) => Address | undefined
}

const listingOf = (
  { assets = {}, id, wrappedNative }: ServedChain,
  tokens: ReadonlyArray<ListedToken>
): readonly [number, Listing] => [
  id,
  {
    wrappedNative: Checksummed.of(wrappedNative),
    assets: Object.fromEntries(Object.entries(assets).map(([name, address]) => [name, Checksummed.of(address)])),
    tokens: tokens
      .filter(({ address, chainId }) => chainId === id && !sameAddress(address, NATIVE))
      .map(({ address, chainId, decimals, name, symbol }) => ({
        address: Checksummed.of(address),
        chainId,
        decimals,
        name,
        symbol
      }))
  }
]

export const makeCatalog = (chains: ReadonlyArray<ServedChain>, tokens: ReadonlyArray<ListedToken>): Catalog => {
  const tokensOn = (chainId: number) => tokens.filter((token) => token.chainId === chainId)
  const listings = new Map(chains.map((chain) => listingOf(chain, tokens)))
  return {
    chains,
    tokens,
    chain: (id) => chains.find((chain) => chain.id === id),
    tokensOn,
    token: (chainId, address) => tokensOn(chainId).find((token) => sameAddress(token.address, address)),
    counterpart: ({ address, chainId }, on) => {
      const [from, to] = [listings.get(chainId), listings.get(on)]
      if (from === undefined || to === undefined) return undefined
      return Option.getOrUndefined(equivalent(from, Checksummed.of(address), to))?.address
    }
  }
}

/** A token on a chain, as start or end of a sweep. */
export interface Place {
  readonly chainId: number
  readonly address: Address
}

export const keyOf = ({ address, chainId }: Place): string => `${chainId}:${address}`

export const samePlace = (a: Place, b: Place): boolean => a.chainId === b.chainId && sameAddress(a.address, b.address)

/** Display name of a chain: `Alpha` for `alpha`, its name in route hints. */
export const chainName = (chain: ServedChain | undefined, id: number): string =>
  chain === undefined ? `chain ${id}` : chain.name.charAt(0).toUpperCase() + chain.name.slice(1)

/** The ERC-20 of a token, which is the wrapped token for the native currency. */
const moved = (chain: ServedChain, address: Address): Address =>
  sameAddress(address, NATIVE) ? chain.wrappedNative : address

/** The token that must cross the bridge from a chain so that the token of a place arrives. Native currency crosses wrapped. */
const bridged = (catalog: Catalog, chainId: number, to: Place): Address | undefined => {
  const destination = catalog.chain(to.chainId)
  // Bridges unwrap for ordinary accounts, so native currency arrives there.
  if (destination === undefined || sameAddress(to.address, destination.wrappedNative)) return undefined
  return catalog.counterpart({ chainId: to.chainId, address: moved(destination, to.address) }, chainId)
}

/** True if a token can be swept to a place: by a swap on its chain, or over a bridge with a swap before it if needed. */
export const canArrive = (catalog: Catalog, from: Place, to: Place): boolean => {
  const source = catalog.chain(from.chainId)
  if (source === undefined || !source.features.source) return false
  const sent = moved(source, from.address)
  // The router unwraps native currency without a pool. It is not wrapped for its owner.
  if (from.chainId === to.chainId) {
    return source.features.swap && !sameAddress(sent, to.address) && !sameAddress(from.address, to.address)
  }
  if (!source.features.bridgeDestinations.includes(to.chainId)) return false
  const crossing = bridged(catalog, from.chainId, to)
  return crossing !== undefined && (source.features.swapBeforeBridge || sameAddress(crossing, sent))
}

/** Format of a token's amounts. */
export interface Unit {
  readonly symbol: string
  readonly decimals: number
}

/** Amounts of unlisted tokens are in the smallest unit, except for the wrapped native currency. */
export const unitOf = (catalog: Catalog, { address, chainId }: Place): Unit => {
  const chain = catalog.chain(chainId)
  return (
    catalog.token(chainId, address) ??
    (chain !== undefined && sameAddress(address, chain.wrappedNative)
      ? { symbol: `W${chain.nativeSymbol}`, decimals: 18 }
      : { symbol: "units", decimals: 0 })
  )
}
