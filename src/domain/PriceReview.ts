/**
 * Decides by the answers of several sources which price of a token counts. An answer far from the last good price must be confirmed,
 * by a second source or by time. Meanwhile the last good price counts.
 */
import type { UsdPrice } from "./Fees.ts"
import { isWithin } from "./PriceReadings.ts"

export interface Rules {
  /** Distance from the last good price that needs confirmation, and within which two sources confirm each other. */
  readonly maxDeviationBps: number
  /** Maximum age at which the last good price counts. */
  readonly maxAgeMillis: number
  /** Time for which a new level must last to be confirmed by one source alone. */
  readonly confirmMillis: number
}

/** Of two prices that nothing else tells apart, the one that costs the relayer less: low for fee tokens, high for native currency. */
export type Preference = "low" | "high"

export interface Kept {
  readonly price: UsdPrice
  /** UNIX milliseconds. */
  readonly atMs: number
}

/** State of a token between two reviews. */
export interface State {
  /** The last good price. */
  readonly good?: Kept
  /** New level that waits for confirmation, and the time since which it lasts. The circuit is open while there is one. */
  readonly candidate?: Kept
}

export interface Review {
  /** Undefined if no price counts. */
  readonly price: Kept | undefined
  readonly state: State
}

const rising = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)

const distance = (a: bigint, b: bigint): bigint => (a > b ? a - b : b - a)

/**
 * The middle price. Of two in the middle, the one nearer to `near`, or else the preferred one. Undefined without prices. It lies
 * between honest prices whenever more than half of the sources are honest.
 */
export const median = (
  prices: ReadonlyArray<UsdPrice>,
  preference: Preference,
  near?: UsdPrice
): UsdPrice | undefined => {
  const sorted = prices.toSorted(rising)
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  if (low === undefined || high === undefined) return undefined
  if (near === undefined || distance(low, near) === distance(high, near)) return preference === "low" ? low : high
  return distance(low, near) < distance(high, near) ? low : high
}

/** Reviews the prices that the sources have of one token now. */
export const review = (
  state: State,
  prices: ReadonlyArray<UsdPrice>,
  options: { readonly nowMs: number; readonly preference: Preference; readonly rules: Rules }
): Review => {
  const { nowMs, preference, rules } = options
  const tolerance = BigInt(rules.maxDeviationBps)
  const good = state.good !== undefined && nowMs - state.good.atMs <= rules.maxAgeMillis ? state.good : undefined
  const kept = good === undefined ? {} : { good }
  const price = median(prices, preference, good?.price)
  if (price === undefined) {
    const candidate = good === undefined ? undefined : state.candidate
    return { price: good, state: candidate === undefined ? kept : { ...kept, candidate } }
  }
  const accepted: Kept = { price, atMs: nowMs }
  const isConfirmed = prices.filter((other) => isWithin(other, price, tolerance)).length > 1
  if (good === undefined || isConfirmed || isWithin(price, good.price, tolerance)) {
    return { price: accepted, state: { good: accepted } }
  }
  const isSameLevel = state.candidate !== undefined && isWithin(price, state.candidate.price, tolerance)
  const candidate = isSameLevel && state.candidate !== undefined ? state.candidate : accepted
  return nowMs - candidate.atMs >= rules.confirmMillis
    ? { price: accepted, state: { good: accepted } }
    : { price: good, state: { good, candidate } }
}
