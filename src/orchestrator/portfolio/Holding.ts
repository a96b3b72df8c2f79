/** A token that an owner holds, with its price and its value. */
import type { PortfolioToken } from "../../domain/Portfolio.ts"
import type { Tier } from "../../domain/Tier.ts"
import type { UsdPrice } from "../../domain/Fees.ts"
import * as Usd from "../../domain/Usd.ts"
import type { TokenBalance } from "../../ports/orchestrator/Balances.ts"

export interface Holding extends TokenBalance {
  /** Undefined when no source has a price. */
  readonly price: UsdPrice | undefined
}

/** A price that fees can be computed from. Quotes need the same (see `quote/Pricing.ts`). */
export const isPriced = (price: UsdPrice | undefined): price is UsdPrice => price !== undefined && price > 0n

export const portfolioToken = ({ balance, price, token }: Holding, tier: Tier): PortfolioToken => ({
  chainId: token.chainId,
  address: token.address,
  symbol: token.symbol,
  name: token.name,
  decimals: token.decimals,
  balance,
  priceUsd: price === undefined ? null : Usd.format(price),
  valueUsd: price === undefined ? null : Usd.format(Usd.valueOf(balance, price, token.decimals)),
  tier
})

/** Sum of the values in dollars. Holdings without a price count as 0. */
export const totalUsd = (held: ReadonlyArray<Holding>): string =>
  Usd.format(
    held.reduce(
      (sum, { balance, price, token }) =>
        price === undefined ? sum : sum + Usd.valueOf(balance, price, token.decimals),
      0n
    )
  )
