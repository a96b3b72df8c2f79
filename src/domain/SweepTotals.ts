/** Totals of the quotes of one wallet: the output at least and as expected, and each fee, in the output token and in US dollars. */
import { Schema } from "effect"
import { mulDivUp, Sum } from "./Amount.ts"
import { described } from "./Described.ts"
import type { OrderFees } from "./Fees.ts"
import type { PricedUnits } from "./QuoteDetails.ts"
import * as Usd from "./Usd.ts"

/** A quote as the totals count it. */
export interface Part {
  readonly minAmountOut: bigint
  readonly estimatedAmountOut: bigint
  readonly fees: OrderFees
  readonly tokenIn: PricedUnits
}

const Value = Schema.Struct({
  amount: described(
    Schema.NullOr(Sum),
    "Amount in the smallest unit of tokenOut. Null for a fee if tokenOut has no price."
  ),
  usd: described(Schema.NullOr(Usd.UsdText), "Value in US dollars. Null if there is no price.")
}).annotate({ identifier: "TotalValue" })

export const SweepTotals = Schema.Struct({
  minAmountOut: described(Value, "Minimum output."),
  estimatedAmountOut: described(Value, "Expected output."),
  fees: described(
    Schema.Struct({
      protocol: described(Value, "Protocol fees."),
      network: described(Value, "Network fees."),
      builder: described(Value, "Fees of the builder.")
    }),
    "Sum of each fee over all quotes. Fees are taken in the input tokens. Their amount in tokenOut is converted at the prices of the quotes."
  )
}).annotate({ identifier: "SweepTotals" })
export type SweepTotals = typeof SweepTotals.Type

const sumOf = <A>(values: ReadonlyArray<A>, pick: (value: A) => bigint): bigint =>
  values.reduce((sum, value) => sum + pick(value), 0n)

/**
 * Sums the parts. Output is valued rounded down and fees are converted rounded up, so that neither looks better than it is. Without a
 * price of the output, fees have only their value in US dollars.
 */
export const totals = (parts: ReadonlyArray<Part>, output: PricedUnits | undefined): SweepTotals => {
  const out = (pick: (part: Part) => bigint) => {
    const amount = sumOf(parts, pick)
    return { amount, usd: output === undefined ? null : Usd.format(Usd.valueOf(amount, output.usd, output.decimals)) }
  }
  const fee = (pick: (fees: OrderFees) => bigint) => {
    const scaled = sumOf(parts, ({ fees, tokenIn }) =>
      mulDivUp(pick(fees), tokenIn.usd, 10n ** BigInt(tokenIn.decimals))
    )
    return {
      amount: output === undefined ? null : mulDivUp(scaled, 10n ** BigInt(output.decimals), output.usd),
      usd: Usd.format(scaled)
    }
  }
  return {
    minAmountOut: out((part) => part.minAmountOut),
    estimatedAmountOut: out((part) => part.estimatedAmountOut),
    fees: {
      protocol: fee(({ protocol }) => protocol),
      network: fee(({ network }) => network),
      builder: fee(({ builder }) => builder)
    }
  }
}
