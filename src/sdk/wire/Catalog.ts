/** JSON of `GET /chains`, `GET /tokens` and `GET /prices`. */
import type { ListedToken, ServedChain, TokenPrice } from "../model/Catalog.ts"
import { address, boolean, list, members, type Read, safeInteger, text } from "./Reader.ts"

const readContracts: Read<ServedChain["contracts"]> = (value, path) => {
  const { get } = members(value, path)
  return { delegate: get("delegate", address), guard: get("guard", address), entry: get("entry", address) }
}

const readFeatures: Read<ServedChain["features"]> = (value, path) => {
  const { get, optional } = members(value, path)
  return {
    source: get("source", boolean),
    swap: get("swap", boolean),
    bridgeDestinations: get("bridgeDestinations", list(safeInteger)),
    // Older services lack the feature and the member.
    swapBeforeBridge: optional("swapBeforeBridge", boolean).swapBeforeBridge ?? false
  }
}

const readChain: Read<ServedChain> = (value, path) => {
  const { get, optional } = members(value, path)
  return {
    id: get("id", safeInteger),
    name: get("name", text),
    nativeSymbol: get("nativeSymbol", text),
    wrappedNative: get("wrappedNative", address),
    contracts: get("contracts", readContracts),
    ...optional("explorerUrl", text),
    blockTimeMillis: get("blockTimeMillis", safeInteger),
    confirmations: get("confirmations", safeInteger),
    features: get("features", readFeatures)
  }
}

/** Reads the response of `GET /chains`. */
export const readChains = (body: unknown): ReadonlyArray<ServedChain> =>
  members(body, "").get("chains", list(readChain))

const readToken: Read<ListedToken> = (value, path) => {
  const { get, optional } = members(value, path)
  return {
    chainId: get("chainId", safeInteger),
    address: get("address", address),
    symbol: get("symbol", text),
    name: get("name", text),
    decimals: get("decimals", safeInteger),
    ...optional("logoURI", text)
  }
}

/** Reads the response of `GET /tokens`. */
export const readTokens = (body: unknown): ReadonlyArray<ListedToken> =>
  members(body, "").get("tokens", list(readToken))

const readPrice: Read<TokenPrice> = (value, path) => {
  const { get } = members(value, path)
  return { chainId: get("chainId", safeInteger), address: get("address", address), priceUsd: get("priceUsd", text) }
}

/** Reads the response of `GET /prices`. */
export const readPrices = (body: unknown): ReadonlyArray<TokenPrice> => members(body, "").get("prices", list(readPrice))
