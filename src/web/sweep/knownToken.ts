/**
 * Compares the service's list of tokens with the facts that the page ships: the review compares addresses and amounts in the smallest unit,
 * so a list with other decimals or symbols would show the user an order that is not the one to sign. Pure.
 */
import { KNOWN_BRIDGES } from "../../sdk/review/KnownBridges.ts"
import { sameAddress } from "../../sdk/model/Address.ts"
import { shorten } from "../lib/shorten.ts"
import { NATIVE, type Place, type Unit } from "./catalog.ts"

interface StatedToken extends Place, Unit {}

/** Other symbols of an asset: those of its contracts on some chains, and those of common token lists. */
const ALIASES: Readonly<Record<string, ReadonlyArray<string>>> = {
  USDT: ["USD₮0", "USDT0", "USD₮", "BSC-USD"],
  // Binance-Peg Ethereum Token.
  WETH: ["ETH"]
}

const NATIVE_DECIMALS = 18

/** The asset that a token is by the shipped facts, with its decimals. Undefined if they do not have it. */
const assetOf = ({ address, chainId }: Place) => {
  const { decimals = {}, tokens = {} } = KNOWN_BRIDGES[chainId] ?? {}
  const name = Object.entries(tokens).find(([, known]) => sameAddress(known, address))?.[0]
  return name === undefined ? undefined : { name, decimals: decimals[name] }
}

const wrongDecimals = (symbol: string, stated: number, known: number): string =>
  `The service says that ${symbol} has ${stated} decimals. It has ${known}, so amounts would be wrong.`

/** The reason for which the page refuses a token: the service's facts contradict the shipped ones. Undefined if they do not. */
export const contradiction = (token: StatedToken): string | undefined => {
  const { address, decimals, symbol } = token
  if (sameAddress(address, NATIVE)) {
    return decimals === NATIVE_DECIMALS ? undefined : wrongDecimals(symbol, decimals, NATIVE_DECIMALS)
  }
  const known = assetOf(token)
  if (known === undefined) return undefined
  if (known.name !== symbol && ALIASES[known.name]?.includes(symbol) !== true) {
    return `The service calls ${shorten(address)} ${symbol}. It is ${known.name}.`
  }
  return known.decimals === undefined || known.decimals === decimals
    ? undefined
    : wrongDecimals(symbol, decimals, known.decimals)
}

/** A warning about a token with the symbol of another one that the shipped facts have on its chain. Undefined without one. */
export const namesake = (token: StatedToken): string | undefined => {
  const known = KNOWN_BRIDGES[token.chainId]?.tokens[token.symbol]
  return known === undefined || assetOf(token) !== undefined || sameAddress(token.address, NATIVE)
    ? undefined
    : `This is not the well-known ${token.symbol}, which is ${known}. Check the address.`
}
