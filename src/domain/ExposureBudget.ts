/** Budgets of a chain from its settings, and their defaults in the chain's native currency. */
import { type Budgets, HOURS_IN_DAY_BUDGET } from "./Exposure.ts"

/** Units of a native currency that are worth one ETH, rounded down to a magnitude that stays safe while prices move. */
const PER_ETH: ReadonlyMap<string, bigint> = new Map([
  ["ETH", 1n],
  ["BNB", 2n],
  ["AVAX", 50n],
  ["XDAI", 1_000n],
  ["POL", 3_000n],
  ["MATIC", 3_000n]
])

/**
 * An amount of wei of ETH in the smallest unit of the chain's native currency, which has 18 decimals everywhere. 0 for a currency
 * of unknown worth: its operator sets the amount in the chains file.
 */
export const inNative = (weiOfEth: bigint, nativeSymbol: string): bigint =>
  weiOfEth * (PER_ETH.get(nativeSymbol.toUpperCase()) ?? 0n)

/** As {@link inNative}, and undefined for a currency of unknown worth. */
export const inKnownNative = (weiOfEth: bigint, nativeSymbol: string): bigint | undefined =>
  PER_ETH.has(nativeSymbol.toUpperCase()) ? inNative(weiOfEth, nativeSymbol) : undefined

/** Share of the daily spend cap that sweeps of unlisted tokens may use up: 1 / divisor. */
const CAP_SHARE = 10n

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** Budget of 24 hours of unlisted tokens by that of one. */
export const dayOf = (unlistedHour: bigint): bigint => unlistedHour * HOURS_IN_DAY_BUDGET

/**
 * Budgets by the hourly losses that an operator accepts. Unlisted tokens have five times their hour in a day, and at most a tenth
 * of the daily spend cap, so that they cannot use it up.
 */
export const budgetsOf = (settings: {
  readonly unlistedHour: bigint
  readonly listedHour: bigint
  readonly firstHour?: bigint | undefined
  readonly dailySpendCap: bigint | undefined
}): Budgets => {
  const { dailySpendCap, firstHour, listedHour, unlistedHour } = settings
  const day = dayOf(unlistedHour)
  const capped = dailySpendCap === undefined ? day : least(day, dailySpendCap / CAP_SHARE)
  return {
    unlisted: { hour: least(unlistedHour, capped), day: capped },
    listedHour,
    ...(firstHour === undefined ? {} : { firstHour })
  }
}
