/** Balances of an owner, as `GET /portfolio/:owner` and `GET /portfolio/:owner/sweepable` return them. */
import type { Address } from "./Address.ts"
import type { Tier } from "./Sweep.ts"

/** Warning about a token. See {@link PortfolioToken.standing}. */
export type Standing = "unlisted" | "impersonator" | "spam"

/** One token that the owner holds on one chain. */
export interface PortfolioToken {
  readonly chainId: number
  readonly address: Address
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  /** In the smallest unit of the token. */
  readonly balance: bigint
  /** Price of one whole token in US dollars, as a decimal string. Null for a token without a price. */
  readonly priceUsd: string | null
  /** Value of the balance in US dollars, as a decimal string. Null for a token without a price. */
  readonly valueUsd: string | null
  readonly tier: Tier
  /**
   * Warning about the token. `unlisted`: no list has it. `impersonator`: it poses as a well-known token. `spam`: a provider says so, or its
   * name advertises a site. Absent without a warning.
   */
  readonly standing?: Standing
  /** True if the price is for display only: stale, not confirmed, or different between sources. */
  readonly doubtful?: boolean
  /** True if what the balance sells for now exceeds the fees of a sweep, by a cheap estimate. Absent in the sweepable portfolio, which says more. */
  readonly worthSweeping?: boolean
  /** Reason if it is not worth sweeping, such as `no_route`: no exchange buys it. */
  readonly reason?: string | null
}

/** Balances of an owner on every served chain. */
export interface Portfolio<Token = PortfolioToken> {
  readonly owner: Address
  readonly tokens: ReadonlyArray<Token>
  /** Sum of the priced balances in US dollars, as a decimal string. */
  readonly totalUsd: string
  /** UNIX milliseconds. */
  readonly updatedAtMs: number
  /** Chains that did not answer in time, so that their tokens are missing. Absent if every chain answered. */
  readonly unavailableChains?: ReadonlyArray<number>
}

/** A balance, with the decision if it is worth sweeping. */
export interface SweepableToken extends PortfolioToken {
  readonly sweepable: boolean
  /** Reason if `sweepable` is false. */
  readonly reason: string | null
  /** Code that the owner's account runs on that chain. `ours` is the service's delegate. */
  readonly delegation: "none" | "ours" | "other" | "contract"
  /** Amount after fees, without a builder's markup, in the smallest unit of the token. */
  readonly estimatedNetAmount: bigint
  /** The same in US dollars, as a decimal string. Null for a token without a price. */
  readonly estimatedNetUsd: string | null
}
