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

/**
 * Value to show, in US dollars scaled by 10^18. Anybody can send an owner a token that no list has and make a price for one unit of it, so
 * such a token is worth at most what a sale of the balance pays.
 */
const shownValue = ({ balance, proceedsUsd, shown, standing, token }: Holding): bigint | undefined => {
  if (shown === undefined) return undefined
  const value = Usd.valueOf(balance, shown.usd, token.decimals)
  return standing === "unlisted" && proceedsUsd !== undefined && proceedsUsd < value ? proceedsUsd : value
}

export const portfolioToken = (holding: Holding, tier: Tier): PortfolioToken => {
  const { balance, shown, standing, token } = holding
  const value = shownValue(holding)
  return {
    chainId: token.chainId,
    address: token.address,
    symbol: token.symbol,
    name: token.name,
    decimals: token.decimals,
    balance,
    priceUsd: shown === undefined ? null : Usd.format(shown.usd),
    valueUsd: value === undefined ? null : Usd.format(value),
    tier,
    ...(standing === undefined ? {} : { standing }),
    ...(isDoubtful(holding) ? { doubtful: true } : {})
  }
}

/** False if the value is doubtful, or is that of an unlisted token of which it is not known what a sale pays. */
const counts = (holding: Holding): boolean =>
  !isDoubtful(holding) && (holding.standing !== "unlisted" || holding.proceedsUsd !== undefined)

/** Sum of the values in dollars. Holdings without a price, or whose value does not count, count as 0. */
export const totalUsd = (held: ReadonlyArray<Holding>): string =>
  Usd.format(held.reduce((sum, holding) => (counts(holding) ? sum + (shownValue(holding) ?? 0n) : sum), 0n))
