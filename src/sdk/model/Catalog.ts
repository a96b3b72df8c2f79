/** Chains, tokens and prices, as `GET /chains`, `GET /tokens` and `GET /prices` return them. */
import type { Address } from "./Address.ts"

/** A chain that the service serves. */
export interface ServedChain {
  readonly id: number
  /** Name for `route` hints. */
  readonly name: string
  readonly nativeSymbol: string
  readonly wrappedNative: Address
  /** Contracts of the service on this chain. Do not take the delegate to sign from here: configure it. */
  readonly contracts: { readonly delegate: Address; readonly guard: Address; readonly entry: Address }
  readonly explorerUrl?: string
  readonly blockTimeMillis: number
  /** Number of blocks after which a sweep counts as settled. */
  readonly confirmations: number
  /** Tokens by the name of their asset. Tokens of two chains under one name are the same asset. Older services do not say. */
  readonly assets?: Readonly<Record<string, Address>>
  /** True while the operator has paused the chain. Older services do not say. */
  readonly paused?: boolean
  readonly features: {
    /** True if sweeps can start here. */
    readonly source: boolean
    /** True if tokens can be swapped here. */
    readonly swap: boolean
    /** Ids of the chains on which sweeps from here can end. */
    readonly bridgeDestinations: ReadonlyArray<number>
    /** True if sweeps from here can arrive on another chain as another asset. The swap happens here, before the bridge. */
    readonly swapBeforeBridge: boolean
  }
}

/** A token that is listed on a served chain. */
export interface ListedToken {
  readonly chainId: number
  readonly address: Address
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  readonly logoURI?: string
}

/** Price of a listed token. */
export interface TokenPrice {
  readonly chainId: number
  readonly address: Address
  /** Price of one whole token in US dollars, as a decimal string. */
  readonly priceUsd: string
  /** True if the price is for display only: stale, not confirmed, or different between sources. */
  readonly doubtful?: boolean
}
