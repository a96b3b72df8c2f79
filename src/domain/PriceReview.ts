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

/**
 * Reason to doubt a price. `lone`: fewer sources have one than the operator asks for. `wild`: the sources differ, or the price is held
 * back from a new level. `stale`: no source has one now, and the last good one is too old.
 */
export type Doubt = "lone" | "wild" | "stale"

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

/** The number of prices within the deviation of this one, and true for `isMajority` if they are more than half of all. */
const support = (prices: ReadonlyArray<UsdPrice>, price: UsdPrice, tolerance: bigint) => {
  const agreeing = prices.filter((other) => isWithin(other, price, tolerance)).length
  return { agreeing, isMajority: 2 * agreeing > prices.length }
}

/**
 * Reviews the prices that the sources have of one token now. `near`: an older good price, which chooses between two in the middle if no
 * good one counts. A price without a majority may count, but is never kept as a good one. An attacked source would set it, and it would
 * then hold back the honest ones.
 */
export const review = (
  state: State,
  prices: ReadonlyArray<UsdPrice>,
  options: {
    readonly nowMs: number
    readonly preference: Preference
    readonly rules: Rules
    readonly near?: UsdPrice | undefined
  }
): Review => {
  const { near, nowMs, preference, rules } = options
  const tolerance = BigInt(rules.maxDeviationBps)
  const good = state.good !== undefined && nowMs - state.good.atMs <= rules.maxAgeMillis ? state.good : undefined
  const kept = good === undefined ? {} : { good }
  const price = median(prices, preference, good?.price ?? near)
  if (price === undefined) {
    const candidate = good === undefined ? undefined : state.candidate
    return { price: good, state: candidate === undefined ? kept : { ...kept, candidate } }
  }
  const accepted: Kept = { price, atMs: nowMs }
  const { agreeing, isMajority } = support(prices, price, tolerance)
  const acceptance = { price: accepted, state: isMajority ? { good: accepted } : kept }
  const isConfirmed = isMajority && agreeing > 1
  if (good === undefined || isConfirmed || isWithin(price, good.price, tolerance)) return acceptance
  const isSameLevel = state.candidate !== undefined && isWithin(price, state.candidate.price, tolerance)
  const candidate = isSameLevel && state.candidate !== undefined ? state.candidate : accepted
  return isMajority && nowMs - candidate.atMs >= rules.confirmMillis
    ? acceptance
    : { price: good, state: { good, candidate } }
}

/** The prices of one token that count, and the price to show if they are doubtful. */
export interface Agreement {
  /** All prices if enough of them agree. Otherwise none. */
  readonly counted: ReadonlyArray<UsdPrice>
  /** The middle price. Undefined without prices. */
  readonly price: UsdPrice | undefined
  readonly doubt: Doubt | undefined
}

/**
 * Decides if enough sources agree on a price: `minSources` of them within the deviation of the middle one. Where the middle one has no
 * majority with it, the price is doubtful in any case.
 */
export const agreement = (
  prices: ReadonlyArray<UsdPrice>,
  options: {
    readonly preference: Preference
    readonly near?: UsdPrice | undefined
    readonly minSources: number
    readonly maxDeviationBps: number
  }
): Agreement => {
  const price = median(prices, options.preference, options.near)
  if (price === undefined) return { counted: [], price, doubt: undefined }
  const { agreeing, isMajority } = support(prices, price, BigInt(options.maxDeviationBps))
  if (agreeing < options.minSources) {
    return { counted: [], price, doubt: prices.length < options.minSources ? "lone" : "wild" }
  }
  return { counted: prices, price, doubt: isMajority ? undefined : "wild" }
}

/** Age at which a price is not even shown. */
export const MAX_SHOWN_AGE_MILLIS = 86_400_000

/** The price to show of a token, with its doubt. `counts` is false if nothing may be decided by it. */
export interface Shown extends Kept {
  readonly doubt: Doubt | undefined
  readonly counts: boolean
}

/**
 * The price that counts, or else a doubtful one: that of the sources, or the last good one up to a day. `last` is the last price that
 * counted.
 */
export const shown = (
  { price, state }: Review,
  agreed: Agreement,
  { last, nowMs }: { readonly last: Kept | undefined; readonly nowMs: number }
): Shown | undefined => {
  if (price !== undefined) {
    const isHeldBack = price.atMs < nowMs && (state.candidate !== undefined || agreed.doubt !== undefined)
    return { ...price, doubt: isHeldBack ? "wild" : price.atMs === nowMs ? agreed.doubt : undefined, counts: true }
  }
  if (agreed.price !== undefined) return { price: agreed.price, atMs: nowMs, doubt: agreed.doubt, counts: false }
  return last !== undefined && nowMs - last.atMs <= MAX_SHOWN_AGE_MILLIS
    ? { ...last, doubt: "stale", counts: false }
    : undefined
}
