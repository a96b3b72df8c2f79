/**
 * Fees of a sweep, all in `tokenIn`: a protocol fee by tier, the network fee, and the builder's markup.
 *
 * Protocol and network fee are rounded up and the markup is rounded down, so that each part differs from the exact rate
 * by less than one unit, and the parts sum to exactly what the order carries (design, "Rules of money", 8).
 */
import { Result, Schema } from "effect"
import { BPS, mulDivDown, mulDivUp } from "./Amount.ts"
import type { Tier } from "./Tier.ts"

export interface FeePolicy {
  /** Basis points by tier, for owners without a subscription. */
  readonly protocolBps: Readonly<Record<Tier, number>>
  /** Share of the protocol rate that a subscriber pays, in basis points. 5000: half. */
  readonly subscriberShareBps: number
  /** Margin on the estimated network cost for price changes until inclusion, in basis points. 2000: 20 %. */
  readonly networkMarginBps: number
}

/** Price in US dollars per whole token, scaled by 10^18. */
export type UsdPrice = bigint

/** Least price that a network fee is computed with. Below it, rounding the price changes the fee by more than a thousandth. */
export const LEAST_PRICE: UsdPrice = 1_000n

/** Protocol fee on `amountIn`, rounded up. */
export const protocolFee = (
  policy: FeePolicy,
  options: { readonly amountIn: bigint; readonly tier: Tier; readonly subscriptionActive: boolean }
): bigint => {
  const rate = BigInt(policy.protocolBps[options.tier])
  return options.subscriptionActive
    ? mulDivUp(options.amountIn, rate * BigInt(policy.subscriberShareBps), BPS * BPS)
    : mulDivUp(options.amountIn, rate, BPS)
}

/** Builder's markup on `amountIn`, rounded down. The builder keeps all of it (spec, "Rules"). */
export const builderFee = (amountIn: bigint, builderBps: number): bigint =>
  mulDivDown(amountIn, BigInt(builderBps), BPS)

/**
 * Expected cost of the relayer in units of `tokenIn`, with the policy's margin, rounded up. The prices must
 * be at least {@link LEAST_PRICE}.
 */
export const networkFee = (
  policy: FeePolicy,
  options: {
    /** Wei. */
    readonly cost: bigint
    readonly nativeUsd: UsdPrice
    readonly tokenUsd: UsdPrice
    readonly tokenDecimals: number
  }
): bigint =>
  mulDivUp(
    options.cost * (BPS + BigInt(policy.networkMarginBps)),
    options.nativeUsd * 10n ** BigInt(options.tokenDecimals),
    BPS * 10n ** 18n * options.tokenUsd
  )

/** Fees of one order, in the smallest unit of its input token. */
export interface OrderFees {
  readonly protocol: bigint
  readonly network: bigint
  readonly builder: bigint
}

export interface FeeBreakdown {
  /** Protocol fee plus network fee: `feeAmount` of the order. */
  readonly feeAmount: bigint
  readonly protocolFee: bigint
  readonly networkFee: bigint
  readonly builderFee: bigint
  /** Remaining amount that is swapped or bridged. Always positive. */
  readonly swapAmount: bigint
}

/** The fees are not less than `amountIn` (spec, "Limits"). */
export class FeesExceedInput extends Schema.TaggedError<FeesExceedInput>()("FeesExceedInput", {
  amountIn: Schema.BigInt,
  total: Schema.BigInt
}) {
  override get message(): string {
    return `fees of ${this.total} are not less than the amount of ${this.amountIn}`
  }
}

/** Sums the fees. Fails if they leave nothing to sweep. */
export const breakdown = (parts: {
  readonly amountIn: bigint
  readonly protocolFee: bigint
  readonly networkFee: bigint
  readonly builderFee: bigint
}): Result.Result<FeeBreakdown, FeesExceedInput> => {
  const feeAmount = parts.protocolFee + parts.networkFee
  const total = feeAmount + parts.builderFee
  return total < parts.amountIn
    ? Result.succeed({
        feeAmount,
        protocolFee: parts.protocolFee,
        networkFee: parts.networkFee,
        builderFee: parts.builderFee,
        swapAmount: parts.amountIn - total
      })
    : Result.fail(new FeesExceedInput({ amountIn: parts.amountIn, total }))
}
