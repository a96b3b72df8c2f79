/** Chains and tokens of the service, and the rule which token can arrive as which. */
import { sameAsset } from "../../domain/SameAsset.ts"
import { chainName } from "../lib/chainName.ts"
import { plainChain, plainToken } from "../lib/plainText.ts"
import { sameAddress } from "../../sdk/model/Address.ts"
import type { Address, ListedToken, ServedChain } from "../../sdk/index.ts"

export const NATIVE: Address = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"

export interface Catalog {
  readonly chains: ReadonlyArray<ServedChain>
  readonly tokens: ReadonlyArray<ListedToken>
  readonly chain: (id: number) => ServedChain | undefined
  /** Display name of a chain. */
  readonly chainName: (id: number) => string
  readonly token: (chainId: number, address: Address) => ListedToken | undefined
  readonly tokensOn: (chainId: number) => ReadonlyArray<ListedToken>
  /** The ERC-20 of a chain that is the same asset as another chain's, by the same rule as the service. */
  readonly counterpart: (of: Place, chainId: number) => Address | undefined
}

/** Addresses in one case, which the rule compares. */
const comparable = (address: string): string => address.toLowerCase()

const placed = (chainId: number, address: string): string => `${chainId}:${comparable(address)}`

const assetsOf = ({ assets = {} }: ServedChain): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(assets).map(([name, address]) => [name, comparable(address)]))

export const makeCatalog = (served: ReadonlyArray<ServedChain>, given: ReadonlyArray<ListedToken>): Catalog => {
  const chains = served.map(plainChain)
  const tokens = given.map(plainToken)
  const byId = new Map(chains.map((each) => [each.id, each]))
  const chain = (id: number) => byId.get(id)
  const lists = Map.groupBy(tokens, ({ chainId }) => chainId)
  const tokensOn = (chainId: number) => lists.get(chainId) ?? []
  const known = new Map(tokens.map((token) => [placed(token.chainId, token.address), token]))
  const token = (chainId: number, address: string) => known.get(placed(chainId, address))
  const assets = new Map(chains.map((chain) => [chain.id, assetsOf(chain)]))
  /** The wrapped native currency need not be listed. */
  const listed = (chainId: number, address: string): Address | undefined => {
    const { wrappedNative } = chain(chainId) ?? {}
    return (
      token(chainId, address)?.address ??
      (wrappedNative !== undefined && comparable(wrappedNative) === address ? wrappedNative : undefined)
    )
  }
  return {
    chains,
    tokens,
    chain,
    chainName: (id) => chainName(chain(id), id),
    tokensOn,
    token,
    counterpart: ({ address, chainId }, on) => {
      const from = comparable(address)
      const to = sameAsset(assets.get(chainId), from, assets.get(on))
      return to === undefined || listed(chainId, from) === undefined ? undefined : listed(on, to)
    }
  }
}

/**
 * Name of the asset that a token is: by its address alone, because anyone can deploy a token with the symbol of another. Undefined if no
 * table knows it.
 */
export const assetOf = (catalog: Catalog, { address, chainId }: Place): string | undefined => {
  const chain = catalog.chain(chainId)
  if (chain === undefined) return undefined
  if (sameAddress(address, NATIVE)) return chain.nativeSymbol
  return Object.entries(chain.assets ?? {}).find(([, known]) => sameAddress(known, address))?.[0]
}

/** A token on a chain, as start or end of a sweep. */
export interface Place {
  readonly chainId: number
  readonly address: Address
}

export const keyOf = ({ address, chainId }: Place): string => `${chainId}:${address}`

export const samePlace = (a: Place, b: Place): boolean => a.chainId === b.chainId && sameAddress(a.address, b.address)

/** The ERC-20 of a token, which is the wrapped token for the native currency. */
export const moved = (chain: ServedChain, address: Address): Address =>
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
  if (from.chainId === to.chainId) return source.features.swap && !sameAddress(from.address, to.address)
  const sent = moved(source, from.address)
  if (!source.features.bridgeDestinations.includes(to.chainId)) return false
  const crossing = bridged(catalog, from.chainId, to)
  return crossing !== undefined && (source.features.swapBeforeBridge || sameAddress(crossing, sent))
}

/** Format of a token's amounts. */
export interface Unit {
  readonly symbol: string
  readonly decimals: number
}

/** Symbol for amounts of a token whose decimals are not known. */
export const UNLISTED_UNIT = "units"

/** Amounts of unlisted tokens are in the smallest unit, except for the wrapped native currency. */
export const unitOf = (catalog: Catalog, { address, chainId }: Place): Unit => {
  const chain = catalog.chain(chainId)
  return (
    catalog.token(chainId, address) ??
    (chain !== undefined && sameAddress(address, chain.wrappedNative)
      ? { symbol: `W${chain.nativeSymbol}`, decimals: 18 }
      : { symbol: UNLISTED_UNIT, decimals: 0 })
  )
}
