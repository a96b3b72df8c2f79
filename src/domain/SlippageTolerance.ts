/**
 * Slippage tolerance of a swap, from what is measured. A minimum far below the expected output is what others can take from a sweep, and
 * one close to it lets sweeps fail when the price moves a little. So the tolerance follows how much the price moves by itself, and how
 * much a trade of the sweep's own size moves it.
 */

/** `stable`: both tokens are stables of their chains. */
export type PairKind = "stable" | "volatile"

/** Facts about a swap. */
export interface Measured {
  readonly kind: PairKind
  readonly crossesChains: boolean
  /** Part of its price that the swap itself takes from the market's, without fees, in basis points. Undefined: not measured. */
  readonly impactBps: number | undefined
  /** Distance that the pair's price moved within {@link WINDOW_SECONDS}, in basis points. Undefined: not measured. */
  readonly volatilityBps: number | undefined
  /** Lifetime of the quote, in seconds. */
  readonly lifetimeSeconds: number
}

/** Settings of the operator, in basis points. */
export interface Bounds {
  readonly floorBps: number
  readonly capBps: number
}

/** Seconds in which the volatility is measured. */
export const WINDOW_SECONDS = 600

/** Tolerance of a swap in a market that is deep and does not move, in basis points. */
const QUIET_BPS: Readonly<Record<PairKind, number>> = { stable: 5, volatile: 25 }

/** Volatility that is assumed if none is measured, in basis points. With a quote of two minutes a volatile pair then gets 50 in all. */
const ASSUMED_VOLATILITY_BPS: Readonly<Record<PairKind, number>> = { stable: 5, volatile: 28 }

/** Added across chains, where prices are read on two of them, in basis points. */
const CROSSING_BPS = 10

/** Moves that the tolerance covers, in multiples of the measured volatility over the lifetime of the quote. */
const COVERED_MOVES = 2

/** A fourth of the swap's own size, traded before it in the same direction, lowers what it gets by half of its impact. */
const COVERED_IMPACT = 0.5

/** Undefined, or a number that is none, counts as not measured. */
const known = (measured: number | undefined, assumed: number): number =>
  measured === undefined || Number.isNaN(measured) ? assumed : Math.max(0, measured)

/**
 * Tolerance in basis points, an integer from `floorBps` to `capBps`; `capBps` if the two contradict each other. Rises with impact,
 * volatility and lifetime. A price moves with the square root of the time.
 */
export const toleranceBps = (
  { crossesChains, impactBps, kind, lifetimeSeconds, volatilityBps }: Measured,
  { capBps, floorBps }: Bounds
): number => {
  const pace = Math.sqrt(known(lifetimeSeconds, WINDOW_SECONDS) / WINDOW_SECONDS)
  const wanted =
    QUIET_BPS[kind] +
    (crossesChains ? CROSSING_BPS : 0) +
    COVERED_IMPACT * known(impactBps, 0) +
    COVERED_MOVES * pace * known(volatilityBps, ASSUMED_VOLATILITY_BPS[kind])
  return Math.min(capBps, Math.max(floorBps, Math.round(wanted)))
}

/** Volatility of a pair by that of its tokens: the higher one. Undefined if one is not measured, unless it is that of a stable. */
export const pairVolatilityBps = (
  sides: ReadonlyArray<{ readonly isStable: boolean; readonly volatilityBps: number | undefined }>
): number | undefined => {
  const measured = sides.map(({ isStable, volatilityBps }) => (isStable ? (volatilityBps ?? 0) : volatilityBps))
  return measured.reduce<number | undefined>(
    (so, each) => (so === undefined || each === undefined ? undefined : Math.max(so, each)),
    0
  )
}

/** A price in US dollars, with the time at which it was read. */
export interface PriceReading {
  readonly usd: bigint
  /** UNIX milliseconds. */
  readonly atMs: number
}

/** Time between two readings that makes them worth keeping both, in milliseconds. */
const STEP_MS = 10_000

/** Readings of the window before `nowMs` with one more. Readings that follow each other closely count once. */
export const withReading = (readings: ReadonlyArray<PriceReading>, next: PriceReading): ReadonlyArray<PriceReading> => {
  const recent = readings.filter(({ atMs }) => next.atMs - atMs <= WINDOW_SECONDS * 1_000 && atMs <= next.atMs)
  const last = recent.at(-1)
  return last !== undefined && next.atMs - last.atMs < STEP_MS ? recent : [...recent, next]
}

/** Shortest time between the first and the last reading that tells how much a price moves, in milliseconds. */
const LEAST_SPAN_MS = 120_000

/**
 * Distance between the highest and the lowest of the readings of the last window, in basis points of the lowest. Undefined if they are of
 * less than two minutes.
 */
export const rangeBps = (readings: ReadonlyArray<PriceReading>, nowMs: number): number | undefined => {
  const counted = readings.filter(({ atMs, usd }) => usd > 0n && nowMs - atMs <= WINDOW_SECONDS * 1_000)
  const [first, last] = [counted[0], counted.at(-1)]
  if (first === undefined || last === undefined || last.atMs - first.atMs < LEAST_SPAN_MS) return undefined
  const prices = counted.map(({ usd }) => usd)
  const lowest = prices.reduce((so, usd) => (usd < so ? usd : so))
  const highest = prices.reduce((so, usd) => (usd > so ? usd : so))
  return Number(((highest - lowest) * 10_000n) / lowest)
}

/**
 * Part of the market's price that an amount takes from itself, in basis points. `fewer` and `more` are amounts with their outputs, the
 * first smaller than the second. With a constant product the inverse of the mean price is linear in the amount, so two amounts tell
 * the price of an amount of nothing. Undefined if the outputs do not tell it.
 */
export const impactBps = (
  fewer: { readonly amountIn: bigint; readonly amountOut: bigint },
  more: { readonly amountIn: bigint; readonly amountOut: bigint }
): number | undefined => {
  const { amountIn: a, amountOut: outOfA } = fewer
  const { amountIn: b, amountOut: outOfB } = more
  if (a <= 0n || b <= a || outOfA <= 0n || outOfB <= 0n) return undefined
  // 1/p(0) = (b/p(a) - a/p(b)) / (b - a), and 1/p(x) = x/out(x). So p(b)/p(0) = (out(b)/b) * (b*a/out(a) - a*b/out(b)) / (b - a).
  const rest = (10_000n * a * (outOfB - outOfA)) / (outOfA * (b - a))
  const impact = 10_000n - rest
  return impact <= 0n ? 0 : Number(impact > 10_000n ? 10_000n : impact)
}
