/** Fees of a transfer by CCTP, as Circle's API offers them, and the terms of a burn that they allow. Pure. */
import { Schema } from "effect"
import * as CctpDeposit from "./CctpDeposit.ts"

const Units = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** `GET /v2/burn/USDC/fees/{source}/{destination}?forward=true`. */
export const Fees = Schema.Array(
  Schema.Struct({
    finalityThreshold: Schema.Int,
    /** Basis points of the amount, with decimals. */
    minimumFee: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)),
    /** Costs of the mint in the smallest unit of USDC. Absent if Circle does not send mints to the chain. */
    forwardFee: Schema.optionalKey(Schema.Struct({ med: Units, high: Units }))
  })
)
export type Fees = typeof Fees.Type

/** Terms of a burn. */
export interface Terms {
  /** {@link CctpDeposit.FAST} or {@link CctpDeposit.STANDARD}. */
  readonly finality: number
  readonly amountOut: bigint
  readonly minAmountOut: bigint
}

/** Largest part of an amount, in basis points, and largest costs of a mint, in the smallest unit of USDC, that are taken for fees. */
const MAX_FEE_BPS = 50
const MAX_FORWARD_FEE = 50_000_000

/** Fees can rise until Circle attests. Circle does not send a mint whose fee is above the maximum, so it has a margin. */
const withMargin = (fee: bigint): bigint => (fee * 12n + 9n) / 10n

/** Part of an amount, rounded up. */
const partOf = (amount: bigint, bps: number): bigint =>
  (amount * BigInt(Math.ceil(bps * 10_000)) + 99_999_999n) / 100_000_000n

/**
 * The terms that the fees allow for an amount, at most one for each finality. Leaves out fees that are absurd, and amounts that are not
 * worth them.
 */
export const termsOf = (fees: Fees, amountIn: bigint): ReadonlyArray<Terms> =>
  [CctpDeposit.FAST, CctpDeposit.STANDARD].flatMap((finality) => {
    const offer = fees.find(({ finalityThreshold }) => finalityThreshold === finality)
    if (offer?.forwardFee === undefined) return []
    const { forwardFee, minimumFee } = offer
    if (minimumFee > MAX_FEE_BPS || Math.max(forwardFee.med, forwardFee.high) > MAX_FORWARD_FEE) return []
    const own = partOf(amountIn, minimumFee)
    const most = withMargin(own + BigInt(Math.max(forwardFee.med, forwardFee.high)))
    return most >= amountIn
      ? []
      : [{ finality, amountOut: amountIn - own - BigInt(forwardFee.med), minAmountOut: amountIn - most }]
  })
