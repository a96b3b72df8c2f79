/** Facts of a quote that owners ask for: each fee, the price impact, and values in US dollars, all at the prices of the quote. */
import { Schema } from "effect"
import * as ArrivalFacts from "./ArrivalFacts.ts"
import { BPS, mulDivUp, Uint256 } from "./Amount.ts"
import { described } from "./Described.ts"
import type { OrderFees, UsdPrice } from "./Fees.ts"
import { Tier } from "./Tier.ts"
import * as Usd from "./Usd.ts"

const Fee = Schema.Struct({
  amount: described(Uint256, "Amount in the smallest unit of tokenIn."),
  usd: described(Usd.UsdText, "Value in US dollars.")
}).annotate({ identifier: "Fee" })

export const FeeBreakdown = Schema.Struct({
  protocol: described(Fee, "Protocol fee, by tier and subscription. Part of feeAmount."),
  network: described(Fee, "Network fee, for the relayer's gas. Part of feeAmount."),
  builder: described(Fee, "Fee of the builder: builderFee.")
}).annotate({ identifier: "FeeBreakdown" })
export type FeeBreakdown = typeof FeeBreakdown.Type

/** Fields of the details. Absent in quotes of releases that did not store them. */
export const fields = {
  feeBreakdown: described(Schema.optionalKey(FeeBreakdown), "Each fee, in tokenIn and in US dollars."),
  appliedTier: described(Schema.optionalKey(Tier), "Risk tier of tokenIn that the protocol fee was computed with."),
  priceImpactBps: described(
    Schema.optionalKey(Schema.NullOr(Schema.Int)),
    "Part of the swapped value that the route loses to price impact and to fees of pools and bridges, in basis points: estimatedAmountOut against the amount after fees, at the prices of the quote. From -10000 to 10000. Negative if the output is worth more. Null if tokenOut has no price."
  ),
  minAmountOutUsd: described(
    Schema.optionalKey(Schema.NullOr(Usd.UsdText)),
    "Value of minAmountOut in US dollars. Null if tokenOut has no price."
  ),
  estimatedAmountOutUsd: described(
    Schema.optionalKey(Schema.NullOr(Usd.UsdText)),
    "Value of estimatedAmountOut in US dollars. Null if tokenOut has no price."
  ),
  ...ArrivalFacts.fields
}

const Details = Schema.Struct(fields)
export type QuoteDetails = typeof Details.Type

/** Price and decimals of a token. */
export interface PricedUnits {
  readonly usd: UsdPrice
  readonly decimals: number
}

/** A quote as its details are computed. */
export interface Quoted {
  readonly tier: Tier
  /** In the smallest unit of the input token. */
  readonly fees: OrderFees
  /** Amount that is routed, in the smallest unit of the input token. */
  readonly swapAmount: bigint
  readonly minAmountOut: bigint
  readonly estimatedAmountOut: bigint
  readonly tokenIn: PricedUnits & {
    /** Price at which fees are taken: at most the price of the token. */
    readonly feeUsd: UsdPrice
  }
  /** Undefined if it has no price. */
  readonly tokenOut: PricedUnits | undefined
}

/** Basis points of `before` that `after` lacks, rounded up, so that it does not look better than it is. */
const lostBps = (before: bigint, after: bigint): number => {
  const lost = (before - after) * BPS
  const bps = lost > 0n ? mulDivUp(lost, 1n, before) : lost / before
  return Number(bps < -BPS ? -BPS : bps)
}

/** Details of a quote. Fees are valued rounded up and output is valued rounded down. */
export const detailsOf = ({ tokenIn, tokenOut, ...quoted }: Quoted): QuoteDetails => {
  const fee = (amount: bigint) => ({
    amount,
    usd: Usd.format(mulDivUp(amount, tokenIn.feeUsd, 10n ** BigInt(tokenIn.decimals)))
  })
  const { builder, network, protocol } = quoted.fees
  const known = {
    feeBreakdown: { protocol: fee(protocol), network: fee(network), builder: fee(builder) },
    appliedTier: quoted.tier
  }
  if (tokenOut === undefined) {
    return { ...known, priceImpactBps: null, minAmountOutUsd: null, estimatedAmountOutUsd: null }
  }
  const before = Usd.valueOf(quoted.swapAmount, tokenIn.usd, tokenIn.decimals)
  const after = Usd.valueOf(quoted.estimatedAmountOut, tokenOut.usd, tokenOut.decimals)
  return {
    ...known,
    priceImpactBps: before === 0n ? null : lostBps(before, after),
    minAmountOutUsd: Usd.format(Usd.valueOf(quoted.minAmountOut, tokenOut.usd, tokenOut.decimals)),
    estimatedAmountOutUsd: Usd.format(after)
  }
}
