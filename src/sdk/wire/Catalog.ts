/** JSON of `GET /chains`, `GET /tokens` and `GET /prices`. */
import type { ListedToken, ServedChain, TokenPrice } from "../model/Catalog.ts"
import { address, boolean, list, type Read, record, safeInteger, struct, text } from "./Reader.ts"

/** Reads the only member of an object: a list. */
const listed =
  <Name extends string, A>(name: Name, read: Read<A>): Read<ReadonlyArray<A>> =>
  (value, path) =>
    struct({ [name]: list(read) })(value, path)[name] ?? []

const readFeatures: Read<ServedChain["features"]> = (value, path) => ({
  // Older services lack the feature and the member.
  swapBeforeBridge: false,
  ...struct({ source: boolean, swap: boolean, bridgeDestinations: list(safeInteger) }, { swapBeforeBridge: boolean })(
    value,
    path
  )
})

const readChain: Read<ServedChain> = struct(
  {
    id: safeInteger,
    name: text,
    nativeSymbol: text,
    wrappedNative: address,
    contracts: struct({ delegate: address, guard: address, entry: address }),
    blockTimeMillis: safeInteger,
    confirmations: safeInteger,
    features: readFeatures
  },
  { explorerUrl: text, assets: record(address), paused: boolean }
)

/** Reads the response of `GET /chains`. */
export const readChains = listed("chains", readChain)

const readToken: Read<ListedToken> = struct(
  { chainId: safeInteger, address, symbol: text, name: text, decimals: safeInteger },
  { logoURI: text }
)

/** Reads the response of `GET /tokens`. */
export const readTokens = listed("tokens", readToken)

const readPrice: Read<TokenPrice> = struct({ chainId: safeInteger, address, priceUsd: text }, { doubtful: boolean })

/** Reads the response of `GET /prices`. */
export const readPrices = listed("prices", readPrice)
