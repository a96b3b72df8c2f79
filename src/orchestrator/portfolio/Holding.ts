/** A token that an owner holds, with its price and its value. */
import type { PortfolioToken } from "../../domain/Portfolio.ts"
import type { Tier } from "../../domain/Tier.ts"
import type { UsdPrice } from "../../domain/Fees.ts"
import type { Standing } from "../../domain/TokenStanding.ts"
import * as Usd from "../../domain/Usd.ts"
import type { TokenBalance } from "../../ports/orchestrator/Balances.ts"
import type { Price } from "../../ports/orchestrator/Prices.ts"

export interface Holding extends Pick<TokenBalance, "token" | "balance"> {
  /** The price that counts. Undefined when no source has one. */
  readonly price: UsdPrice | undefined
  /** The price to show, which may be doubtful. */
  readonly shown: Price | undefined
  readonly standing: Standing | undefined
  /** True if an exchange buys the token, false if none does. Undefined if it is not known. */
  readonly hasRoute: boolean | undefined
  /** Value of the output of its sale, in US dollars scaled by 10^18. Undefined if it is not known. */
  readonly proceedsUsd: bigint | undefined
}

const isDoubtful = ({ shown }: Holding): boolean => shown?.doubt !== undefined || shown?.isForDisplay === true

/** A price that fees can be computed from. Quotes need the same (see `quote/Pricing.ts`). */
export const isPriced = (price: UsdPrice | undefined): price is UsdPrice => price !== undefined && price > 0n

export const portfolioToken = (holding: Holding, tier: Tier): PortfolioToken => {
  const { balance, shown, standing, token } = holding
  return {
    chainId: token.chainId,
    address: token.address,
    symbol: token.symbol,
    name: token.name,
    decimals: token.decimals,
    balance,
    priceUsd: shown === undefined ? null : Usd.format(shown.usd),
    valueUsd: shown === undefined ? null : Usd.format(Usd.valueOf(balance, shown.usd, token.decimals)),
    tier,
    ...(standing === undefined ? {} : { standing }),
    ...(isDoubtful(holding) ? { doubtful: true } : {})
  }
}

/** Sum of the values in dollars. Holdings without a price, or with a doubtful one, count as 0. */
export const totalUsd = (held: ReadonlyArray<Holding>): string =>
  Usd.format(
    held.reduce(
      (sum, holding) =>
        holding.shown === undefined || isDoubtful(holding)
          ? sum
          : sum + Usd.valueOf(holding.balance, holding.shown.usd, holding.token.decimals),
      0n
    )
  )
