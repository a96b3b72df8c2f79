/** Target of the sweeps: token, chain and address. */
import { getAddress, isAddress } from "viem"
import { sameAddress } from "../../sdk/model/Address.ts"
import type { Address, SweepableToken } from "../../sdk/index.ts"
import { byValue, total } from "../lib/usd.ts"
import type { Catalog, Place } from "./catalog.ts"

export interface TargetDefaults {
  /** Address of a token, or symbol on the destination chain's token list. */
  readonly tokenOut?: string
  /** Default, also for a chain that the service does not serve: the one with the highest value of tokens. */
  readonly chainId?: number
  /** Default: the owner. */
  readonly destination?: Address
}

const MOST_WANTED = ["USDC", "USDT", "DAI"]

/** The chain with the highest value of tokens. */
const richest = (catalog: Catalog, tokens: ReadonlyArray<SweepableToken>): number | undefined =>
  catalog.chains
    .map(({ id }) => ({
      id,
      usd: total(tokens.filter(({ chainId, sweepable }) => chainId === id && sweepable).map(({ valueUsd }) => valueUsd))
    }))
    .toSorted((a, b) => byValue(a.usd, b.usd))[0]?.id

/** The named token of a chain, or else the most common choice. */
export const preferredToken = (catalog: Catalog, chainId: number, wanted?: string): Place | undefined => {
  const tokens = catalog.tokensOn(chainId)
  const named = (name: string) =>
    tokens.find(({ address, symbol }) => symbol === name || sameAddress(address, `0x${name.slice(2)}`))
  return (
    [...(wanted === undefined ? [] : [wanted]), ...MOST_WANTED].map(named).find((token) => token !== undefined) ??
    tokens[0]
  )
}

export const defaultTarget = (
  catalog: Catalog,
  tokens: ReadonlyArray<SweepableToken>,
  { chainId, tokenOut }: TargetDefaults
): Place | undefined => {
  const isServed = chainId !== undefined && catalog.chain(chainId) !== undefined
  const chain = isServed ? chainId : richest(catalog, tokens)
  return chain === undefined ? undefined : preferredToken(catalog, chain, tokenOut)
}

/** Parses the destination: a checksummed address, or the error to show. */
export const readDestination = (
  catalog: Catalog,
  text: string
): { readonly address: Address } | { readonly problem: string } => {
  const typed = text.trim()
  if (!/^0x[0-9a-fA-F]{40}$/.test(typed)) return { problem: "An address has 40 hexadecimal digits after 0x." }
  if (!isAddress(typed)) return { problem: "There is a typing error in this address: its checksum does not match." }
  if (/^0x0{40}$/.test(typed)) return { problem: "This is the zero address, which nobody owns." }
  const address = getAddress(typed)
  return catalog.tokens.some((token) => sameAddress(token.address, address))
    ? { problem: "This is the contract of a token. Tokens sent there are lost." }
    : { address }
}
