/**
 * Bounds of what a bridge promises, by prices of our own. They hold for bridges whose service alone decides what arrives: no contract
 * enforces its promise. Pure.
 */
import { mulDivUp } from "./Amount.ts"
import type { UsdPrice } from "./Fees.ts"
import type { QuoteDetails } from "./QuoteDetails.ts"
import * as Usd from "./Usd.ts"

/** Bridges whose deposits no contract ties to their terms. */
const ON_TRUST: ReadonlySet<string> = new Set(["relay"])

/** True if the owners of such a bridge's deposits rely on the word of its service. */
export const isOnTrust = (bridge: string): boolean => ON_TRUST.has(bridge)

/** Largest gain by prices that is believed, in basis points of the input. Prices of two chains differ a little. */
const MOST_GAIN_BPS = 100n

/** Largest loss by prices that is offered, in basis points of the input. That of Across's deposits. */
const MOST_LOSS_BPS = 3_000n

const WHOLE_BPS = 10_000n

export interface Promise {
  /** Values in US dollars scaled by 10^18. Undefined if a price is unknown. */
  readonly paidIn: UsdPrice | undefined
  readonly expected: UsdPrice | undefined
  readonly least: UsdPrice | undefined
}

/** The reason why a promise is not offered. Undefined without one. A promise that cannot be judged is not offered. */
export const objection = ({ expected, least, paidIn }: Promise): string | undefined => {
  if (paidIn === undefined || expected === undefined || least === undefined) return "an amount without a price"
  if (expected * WHOLE_BPS > paidIn * (WHOLE_BPS + MOST_GAIN_BPS))
    return "an arrival that is worth more than the deposit"
  return least * WHOLE_BPS < paidIn * (WHOLE_BPS - MOST_LOSS_BPS)
    ? "a minimum that is worth far less than the deposit"
    : undefined
}

/**
 * Value of a quote's deposit in US dollars scaled by 10^18, from what arrives and what the route loses. It does not depend on how much
 * the service promises. Undefined if the quote does not state it.
 */
export const deposited = ({
  estimatedAmountOutUsd,
  priceImpactBps
}: Pick<QuoteDetails, "estimatedAmountOutUsd" | "priceImpactBps">): UsdPrice | undefined => {
  const arriving = Usd.parse(estimatedAmountOutUsd ?? "")
  if (arriving === undefined || priceImpactBps === null || priceImpactBps === undefined) return undefined
  const left = WHOLE_BPS - BigInt(Math.max(0, priceImpactBps))
  return left <= 0n ? undefined : mulDivUp(arriving, WHOLE_BPS, left)
}

/**
 * Costs of a refund that are believed: this part of the deposit, but no more than the larger value, and always the smaller one. In US dollars
 * scaled by 10^18. A refund costs the gas of one transfer, which does not grow with the deposit.
 */
const MOST_REFUND_COST_BPS = 1_000n
const LARGE_REFUND_COST = 20n * 10n ** 18n
const SMALL_REFUND_COST = 5n * 10n ** 18n

/** Largest part of a deposit that a refund may cost, however small its value is, in basis points. */
const MOST_COST_BPS = 5_000n

/** Least amount that counts as the refund of a deposit, in the deposit's unit. `value`: of the deposit. Undefined without a price. */
export const leastRefund = (deposit: bigint, value: UsdPrice | undefined): bigint => {
  const part = (deposit * MOST_REFUND_COST_BPS) / WHOLE_BPS
  if (value === undefined || value <= 0n) return deposit - part
  const [small, large] = [(deposit * SMALL_REFUND_COST) / value, (deposit * LARGE_REFUND_COST) / value]
  const cost = part < small ? small : part > large ? large : part
  const most = (deposit * MOST_COST_BPS) / WHOLE_BPS
  return deposit - (cost < most ? cost : most)
}
