/**
 * What a sweep costs its owner: a protocol fee by tier, the network fee, and the builder's markup, all in `tokenIn`.
 *
 * Protocol and network fee round up and the markup rounds down, so that each part differs from the exact rate by less than
 * one unit and the parts sum exactly to what the order carries (design, "Rules of money", 8).
 */
import { Result, Schema } from "effect"
import { BPS, mulDivDown, mulDivUp } from "./Amount.ts"
import type { Tier } from "./Tier.ts"

export interface FeePolicy {
  /** Basis points by tier, for owners without a subscription. */
  readonly protocolBps: Readonly<Record<Tier, number>>
  /** What a subscriber pays of the protocol rate, in basis points of it: 5000 is half. */
  readonly subscriberShareBps: number
  /** Added to the estimated network cost against price moves until inclusion, in basis points: 2000 is 20 %. */
  readonly networkMarginBps: number
}

/** A price in US dollars per whole token, scaled by 10^18. */
export type UsdPrice = bigint

/** The protocol's cut of `amountIn`, rounded up. */
export const protocolFee = (
  policy: FeePolicy,
  options: { readonly amountIn: bigint; readonly tier: Tier; readonly subscriptionActive: boolean }
): bigint => {
  const rate = BigInt(policy.protocolBps[options.tier])
  return options.subscriptionActive
    ? mulDivUp(options.amountIn, rate * BigInt(policy.subscriberShareBps), BPS * BPS)
    : mulDivUp(options.amountIn, rate, BPS)
}

/** The builder's markup on `amountIn`, rounded down. A builder keeps all of it (spec, "Rules"). */
export const builderFee = (amountIn: bigint, builderBps: number): bigint =>
  mulDivDown(amountIn, BigInt(builderBps), BPS)

/** The relayer's expected cost in units of `tokenIn`, with the policy's margin, rounded up. `tokenUsd` must be positive. */
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

export interface FeeBreakdown {
  /** Protocol fee plus network fee: the order's `feeAmount`. */
  readonly feeAmount: bigint
  readonly builderFee: bigint
  /** What remains to be swapped or bridged; always positive. */
  readonly swapAmount: bigint
}

/** The fees leave nothing to sweep (spec, "Limits": total fees must be strictly less than amountIn). */
export class FeesExceedInput extends Schema.TaggedError<FeesExceedInput>()("FeesExceedInput", {
  amountIn: Schema.BigInt,
  total: Schema.BigInt
}) {
  override get message(): string {
    return `fees of ${this.total} are not less than the amount of ${this.amountIn}`
  }
}

/** Adds the parts up and refuses what would leave nothing. */
export const breakdown = (parts: {
  readonly amountIn: bigint
  readonly protocolFee: bigint
  readonly networkFee: bigint
  readonly builderFee: bigint
}): Result.Result<FeeBreakdown, FeesExceedInput> => {
  const feeAmount = parts.protocolFee + parts.networkFee
  const total = feeAmount + parts.builderFee
  return total < parts.amountIn
    ? Result.succeed({ feeAmount, builderFee: parts.builderFee, swapAmount: parts.amountIn - total })
    : Result.fail(new FeesExceedInput({ amountIn: parts.amountIn, total }))
}
