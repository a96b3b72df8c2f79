/**
 * Holdings of an owner on every chain, and those worth sweeping (spec, "Portfolio routes"). The spec leaves the shapes
 * open.
 */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import { Uint256 } from "./Amount.ts"
import { ChainId } from "./ChainId.ts"
import { Tier } from "./Tier.ts"
import { Standing } from "./TokenStanding.ts"
import { described } from "./Described.ts"

/** US dollars as a decimal string, e.g. `"12.340000"`. Absent for a token without a price. */
const Usd = Schema.String.annotate({ description: "US dollars as a decimal string" })

/** Obstacle to a sweep of a balance. */
const Reason = Schema.Literals([
  "no_price",
  "no_route",
  "worth_less_than_fees",
  "token_declined",
  "account_is_a_contract",
  "no_set_code_support"
])

export const PortfolioToken = Schema.Struct({
  chainId: described(ChainId, "Chain of the token."),
  address: described(Address.Address, "Contract of the token. 0xEeee…EEeE stands for the native currency."),
  symbol: described(Schema.String, "Symbol of the token."),
  name: described(Schema.String, "Name of the token."),
  decimals: described(Schema.Int, "Decimals of the token."),
  balance: described(Uint256, "Balance of the owner, in the smallest unit of the token."),
  priceUsd: described(Schema.NullOr(Usd), "Price of one whole token in US dollars. Null if there is no price."),
  valueUsd: described(
    Schema.NullOr(Usd),
    "Value of the balance in US dollars. For an unlisted token at most what a sale of the balance pays, if that is known. Null if there is no price."
  ),
  tier: described(Tier, "Risk tier of the token."),
  standing: described(
    Schema.optionalKey(Standing),
    "Warning about the token. unlisted: no list has it. impersonator: it has the symbol or the name of a well-known token, or one that looks like it, at another address. spam: a provider says so, or its name advertises a site. Impersonators and spam have no price. Absent without a warning."
  ),
  doubtful: described(
    Schema.optionalKey(Schema.Boolean),
    "True if the price is stale, is not confirmed by enough sources, or differs between them. It is for display only, and does not count for totalUsd. Absent otherwise."
  ),
  worthSweeping: described(
    Schema.optionalKey(Schema.Boolean),
    "True if what the balance sells for now exceeds the fees of a sweep, by a cheap estimate. Absent if the chain's fees are unknown, and in the sweepable portfolio, which says more."
  ),
  reason: described(
    Schema.optionalKey(Schema.NullOr(Reason)),
    "Reason if worthSweeping is false, with the values of the sweepable portfolio. Absent otherwise."
  )
}).annotate({ identifier: "PortfolioToken" })
export type PortfolioToken = typeof PortfolioToken.Type

/** Price of a listed token in US dollars per whole token. */
export const TokenPrice = Schema.Struct({
  chainId: described(ChainId, "Chain of the token."),
  address: described(Address.Address, "Contract of the token. 0xEeee…EEeE stands for the native currency."),
  priceUsd: described(Usd, "Price of one whole token in US dollars."),
  ageSeconds: described(
    Schema.Int,
    "Age of the price at updatedAtMs, in seconds. It is high while the last good price is kept, because the newest one is not confirmed."
  ),
  sources: described(
    Schema.Array(Schema.String),
    "Sources that have a price of the token: uniswap-v3, chainlink, defillama, coingecko. The median of their prices counts. last_good if the last good price is kept."
  ),
  doubtful: described(
    Schema.optionalKey(Schema.Boolean),
    "True if the price is stale, is not confirmed by enough sources, or differs between them. Absent otherwise."
  )
}).annotate({ identifier: "TokenPrice" })

/** Chains whose part of a response is missing. */
const unavailableChains = described(
  Schema.optionalKey(Schema.Array(ChainId)),
  "Chains that did not answer in time, so that their tokens are missing. Absent if every chain answered."
)

export const PricesView = Schema.Struct({
  prices: described(Schema.Array(TokenPrice), "Prices of listed tokens."),
  updatedAtMs: described(Schema.Int, "UNIX time in milliseconds when the prices were read."),
  unavailableChains
}).annotate({
  identifier: "Prices",
  description: "Listed tokens that have a price"
})
export type PricesView = typeof PricesView.Type

export const PortfolioView = Schema.Struct({
  owner: described(Address.Address, "Owner of the balances."),
  tokens: described(Schema.Array(PortfolioToken), "Tokens with a balance, on all chains."),
  totalUsd: described(
    Usd,
    "Value of all balances that have a price without doubt, in US dollars. Unlisted tokens count only if it is known what a sale of them pays."
  ),
  updatedAtMs: described(Schema.Int, "UNIX time in milliseconds when the balances were read."),
  unavailableChains
}).annotate({ identifier: "Portfolio" })
export type PortfolioView = typeof PortfolioView.Type

/** Code of the owner's account: none, the project's delegate, another delegate, or a contract. */
export const DelegationState = Schema.Literals(["none", "ours", "other", "contract"])

export const SweepableToken = Schema.Struct({
  ...PortfolioToken.fields,
  sweepable: described(Schema.Boolean, "True if a sweep of the balance leaves something after fees."),
  reason: described(
    Schema.NullOr(Reason),
    "Reason why the token cannot be swept. Null if it can. no_route: no exchange of the chain buys it. worth_less_than_fees: what it sells for now does not pay the fees."
  ),
  delegation: described(
    DelegationState,
    "Code of the owner's account on the chain: none, this service's delegate, another delegate, or a contract."
  ),
  estimatedNetAmount: described(
    Uint256,
    "Amount left after protocol and network fees, without a builder's markup, in the smallest unit of the token."
  ),
  estimatedNetUsd: described(
    Schema.NullOr(Usd),
    "Value of estimatedNetAmount in US dollars, by what the balance sells for now if that is less than its price says. Null if there is no price."
  )
}).annotate({ identifier: "SweepableToken" })
export type SweepableToken = typeof SweepableToken.Type

export const SweepableView = Schema.Struct({
  ...PortfolioView.fields,
  tokens: described(Schema.Array(SweepableToken), "Tokens with a balance, on all chains.")
}).annotate({ identifier: "SweepablePortfolio" })
export type SweepableView = typeof SweepableView.Type
