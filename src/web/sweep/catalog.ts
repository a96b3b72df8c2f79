/** What the service serves, by chain and token, and which token can arrive as which. Pure. */
import type { Address, ListedToken, ServedChain } from "../../sdk/index.ts"
import { sameAddress } from "../../sdk/address.ts"

export const NATIVE: Address = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"

export interface Catalog {
  readonly chains: ReadonlyArray<ServedChain>
  readonly tokens: ReadonlyArray<ListedToken>
  readonly chain: (id: number) => ServedChain | undefined
  readonly token: (chainId: number, address: Address) => ListedToken | undefined
  readonly tokensOn: (chainId: number) => ReadonlyArray<ListedToken>
}

export const makeCatalog = (chains: ReadonlyArray<ServedChain>, tokens: ReadonlyArray<ListedToken>): Catalog => {
  const tokensOn = (chainId: number) => tokens.filter((token) => token.chainId === chainId)
  return {
    chains,
    tokens,
    chain: (id) => chains.find((chain) => chain.id === id),
    tokensOn,
    token: (chainId, address) => tokensOn(chainId).find((token) => sameAddress(token.address, address))
  }
}

/** A token on a chain: where a sweep starts or ends. */
export interface Place {
  readonly chainId: number
  readonly address: Address
}

export const keyOf = ({ address, chainId }: Place): string => `${chainId}:${address}`

export const samePlace = (a: Place, b: Place): boolean => a.chainId === b.chainId && sameAddress(a.address, b.address)

/** `alpha` is how route hints name a chain; people read `Alpha`. */
export const chainName = (chain: ServedChain | undefined, id: number): string =>
  chain === undefined ? `chain ${id}` : chain.name.charAt(0).toUpperCase() + chain.name.slice(1)

/** The ERC-20 that moves for a token: the wrapped one for the native currency. */
const moved = (chain: ServedChain, address: Address): Address =>
  sameAddress(address, NATIVE) ? chain.wrappedNative : address

/**
 * The same asset on both chains, as bridges need it: symbol and decimals of the lists agree. The native currency travels as
 * its wrapped form.
 */
const isSameAsset = (catalog: Catalog, from: Place, to: Place): boolean => {
  const [source, destination] = [catalog.chain(from.chainId), catalog.chain(to.chainId)]
  if (source === undefined || destination === undefined) return false
  const [sent, received] = [moved(source, from.address), moved(destination, to.address)]
  const [sentIsNative, receivedIsNative] = [
    sameAddress(sent, source.wrappedNative),
    sameAddress(received, destination.wrappedNative)
  ]
  if (sentIsNative || receivedIsNative) {
    // Bridges unwrap for accounts: what arrives at one is the native currency.
    return (
      sentIsNative &&
      receivedIsNative &&
      source.nativeSymbol === destination.nativeSymbol &&
      sameAddress(to.address, NATIVE)
    )
  }
  const [a, b] = [catalog.token(from.chainId, sent), catalog.token(to.chainId, received)]
  return a !== undefined && b !== undefined && a.symbol === b.symbol && a.decimals === b.decimals
}

/** Whether a token can be swept to a place: by a swap on its own chain, or as the same asset over a bridge. */
export const canArrive = (catalog: Catalog, from: Place, to: Place): boolean => {
  const source = catalog.chain(from.chainId)
  if (source === undefined || !source.features.source) return false
  if (from.chainId === to.chainId) {
    return source.features.swap && !sameAddress(moved(source, from.address), moved(source, to.address))
  }
  return source.features.bridgeDestinations.includes(to.chainId) && isSameAsset(catalog, from, to)
}

/** The route hint that names both chains. */
export const routeHint = (catalog: Catalog, from: number, to: number): string | undefined => {
  const [source, destination] = [catalog.chain(from), catalog.chain(to)]
  return source === undefined || destination === undefined ? undefined : `${source.name}->${destination.name}`
}
