/** Limits on the terms of an Across deposit: price, exclusivity and times. */
import { Effect } from "effect"
import * as Amount from "../../domain/Amount.ts"
import * as AssetAmount from "../../domain/AssetAmount.ts"
import * as AcrossDeposit from "./AcrossDeposit.ts"
import type { FeeQuote } from "./AcrossFees.ts"
import { noRoute, type PoolSettings } from "./SpokePools.ts"

/** Maximum age of the source chain's latest block when the quote is made, in seconds. */
const CLOCK_SLACK_SECONDS = 60

export interface Limits {
  /** Time after its quote in which an order can still settle, in seconds: the quote's lifetime and the order's grace. */
  readonly orderLifetimeSeconds: number
  /** Minimum time that relayers have to fill a deposit, in seconds. Default: 600. */
  readonly minFillSeconds: number
  /** Maximum fee of the relayer, in basis points of the input. Default: 3,000. */
  readonly maxFeeBps: number
}

type Terms = Pick<
  AcrossDeposit.AcrossDeposit,
  "inputAmount" | "outputAmount" | "exclusiveRelayer" | "exclusivityParameter"
>

/**
 * Fails with {@link NoRoute} unless the terms are fair to the owner and a relayer will fill the deposit. `decimals` are those of the
 * input and of the output.
 */
export const assertTerms = (
  { exclusiveRelayer, exclusivityParameter, inputAmount, outputAmount }: Terms,
  maxFeeBps: number,
  decimals: AssetAmount.Decimals
) => {
  if (outputAmount <= 0n) return Effect.fail(noRoute("the amount does not cover the relayer's fee"))
  if (outputAmount > Amount.MAX_UINT256) return Effect.fail(noRoute("the amount is too large for the output token"))
  // Both tokens are the same asset, and no relayer pays out more than was paid in.
  const [paidIn, paidOut] = AssetAmount.comparable(inputAmount, outputAmount, decimals)
  if (paidOut > paidIn) return Effect.fail(noRoute("the offer is above the input"))
  // The least that the limit allows, in the output's smallest unit.
  if (outputAmount < AssetAmount.convert(Amount.lessBps(inputAmount, maxFeeBps), decimals)) {
    return Effect.fail(noRoute(`the relayer's fee is above ${maxFeeBps} bps`))
  }
  return AcrossDeposit.isExclusivityBounded(exclusiveRelayer, exclusivityParameter)
    ? Effect.void
    : Effect.fail(noRoute("the offer reserves the deposit for one relayer for too long"))
}

/**
 * Times that are valid whenever the deposit is made within the order's lifetime. The pool rejects a `quoteTimestamp` that is
 * later than the block or older than its buffer, and a `fillDeadline` that is further from the block than its buffer.
 */
export const times = (
  quote: FeeQuote,
  limits: Limits,
  { destinationNow, fillBuffer, now, quoteBuffer }: PoolSettings
) => {
  const quoteTimestamp = Math.min(quote.quoteTimestamp, now)
  const life = limits.orderLifetimeSeconds + CLOCK_SLACK_SECONDS
  if (now + life - quoteTimestamp > quoteBuffer) {
    return Effect.fail(noRoute("the fee quote would be too old for the SpokePool when the order settles"))
  }
  // The deadline is a time of the destination chain. The buffer counts from the time of the source chain.
  const earliest = Math.max(now, destinationNow) + life + limits.minFillSeconds
  const latest = now + fillBuffer
  return earliest > latest
    ? Effect.fail(noRoute("the SpokePool allows no fill deadline that outlasts the order"))
    : Effect.succeed({ quoteTimestamp, fillDeadline: Math.min(Math.max(quote.fillDeadline, earliest), latest) })
}
