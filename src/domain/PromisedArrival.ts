/**
 * Bounds of what a bridge promises, by prices of our own. They hold for bridges whose service alone decides what arrives: no contract
 * enforces its promise. Pure.
 */
import type { UsdPrice } from "./Fees.ts"

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
