/** What an owner holds across chains, and what of it is worth sweeping (spec, "Portfolio routes"; the shapes are ours). */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import { Uint256 } from "./Amount.ts"
import { ChainId } from "./ChainId.ts"
import { Tier } from "./Tier.ts"

/** US dollars as a decimal string, e.g. `"12.340000"`; absent for a token without a price. */
const Usd = Schema.String.annotate({ description: "US dollars as a decimal string" })

export const PortfolioToken = Schema.Struct({
  chainId: ChainId,
  address: Address.Address,
  symbol: Schema.String,
  name: Schema.String,
  decimals: Schema.Int,
  balance: Uint256,
  priceUsd: Schema.NullOr(Usd),
  valueUsd: Schema.NullOr(Usd),
  tier: Tier
}).annotate({ identifier: "PortfolioToken" })
export type PortfolioToken = typeof PortfolioToken.Type

/** What a listed token is worth, in US dollars for a whole one. */
export const TokenPrice = Schema.Struct({
  chainId: ChainId,
  address: Address.Address,
  priceUsd: Usd
}).annotate({ identifier: "TokenPrice" })

export const PricesView = Schema.Struct({ prices: Schema.Array(TokenPrice), updatedAtMs: Schema.Int }).annotate({
  identifier: "Prices",
  description: "Listed tokens that have a price"
})
export type PricesView = typeof PricesView.Type

export const PortfolioView = Schema.Struct({
  owner: Address.Address,
  tokens: Schema.Array(PortfolioToken),
  totalUsd: Usd,
  updatedAtMs: Schema.Int
}).annotate({ identifier: "Portfolio" })
export type PortfolioView = typeof PortfolioView.Type

/** What the owner's account runs: nothing, our delegate, another one, or a contract of its own. */
export const DelegationState = Schema.Literals(["none", "ours", "other", "contract"])

export const SweepableToken = Schema.Struct({
  ...PortfolioToken.fields,
  sweepable: Schema.Boolean,
  /** Why not, when `sweepable` is false. */
  reason: Schema.NullOr(
    Schema.Literals([
      "no_price",
      "worth_less_than_fees",
      "token_declined",
      "account_is_a_contract",
      "no_set_code_support"
    ])
  ),
  delegation: DelegationState,
  /** What would be left after protocol and network fees, in the token's smallest unit, without a builder's markup. */
  estimatedNetAmount: Uint256,
  estimatedNetUsd: Schema.NullOr(Usd)
}).annotate({ identifier: "SweepableToken" })
export type SweepableToken = typeof SweepableToken.Type

export const SweepableView = Schema.Struct({
  ...PortfolioView.fields,
  tokens: Schema.Array(SweepableToken)
}).annotate({ identifier: "SweepablePortfolio" })
export type SweepableView = typeof SweepableView.Type
