/**
 * Prices from readings of several pools. A pool counts by the value that it really pays for a large sale, so that a new or narrow
 * pool cannot outvote a deep one, and its price is held to its mean over the last minutes.
 */
import { BPS } from "./Amount.ts"
import type { UsdPrice } from "./Fees.ts"

/** Measurements of one pool of a token against money, which is the stable or the wrapped native currency. */
export interface PoolReading {
  /** Amount of the token that a small trade bought, and the money that the same pool paid for it. In smallest units. */
  readonly bought: bigint
  readonly returned: bigint
  /** Money that the pool pays before its price has moved by 3 %, up to a cap. In the smallest unit. */
  readonly depth: bigint
  /** Current tick, and the mean tick of the window. Rising ticks are a rising price of the token in money. */
  readonly tick: number
  readonly meanTick: number
  /** Current liquidity, and its mean in the window. */
  readonly liquidity: bigint
  readonly meanLiquidity: bigint
}

/** Money with its price, in which readings are converted to dollars. */
export interface PricedMoney {
  readonly usd: UsdPrice
  readonly decimals: number
}

export interface WeightedPrice {
  readonly price: UsdPrice
  /** Dollars, scaled by 10^18. */
  readonly weight: bigint
}

/** Fraction bits of {@link tickRatio}. */
const BITS = 64n
const ONE = 1n << BITS
/** 1.0001 with 64 fraction bits. */
const TICK = (ONE * 10_001n) / 10_000n
/** Ticks of Uniswap v3 lie within this distance of 0. */
const MAX_TICK = 887_272

/** 1.0001^ticks with 64 fraction bits, rounded down. Ticks beyond Uniswap's range count as its end. */
const tickRatio = (ticks: number): bigint => {
  let [ratio, power] = [ONE, TICK]
  for (let rest = Math.min(Math.abs(ticks), MAX_TICK); rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) ratio = (ratio * power) >> BITS
    power = (power * power) >> BITS
  }
  return ticks < 0 ? (ONE * ONE) / ratio : ratio
}

/**
 * True if a small trade in the pool ends within this many basis points of its value. Fees and price impact are its only losses, so
 * a pool that takes more is too thin for a price.
 */
export const isSound = ({ bought, returned }: PoolReading, spent: bigint, toleranceBps: bigint): boolean =>
  bought > 0n && returned > 0n && returned <= spent && (spent - returned) * BPS <= spent * toleranceBps

/**
 * Dollars per whole token, scaled by 10^18: what the pool pays for a small sale. While the current price is further than
 * `toleranceTicks` (basis points, nearly) from the mean of the window, the mean counts, less the same cost.
 */
export const priceOf = (
  reading: PoolReading,
  decimals: number,
  money: PricedMoney,
  toleranceTicks: number
): UsdPrice => {
  const spot =
    (reading.returned * money.usd * 10n ** BigInt(decimals)) / (reading.bought * 10n ** BigInt(money.decimals))
  const away = reading.meanTick - reading.tick
  return Math.abs(away) <= toleranceTicks ? spot : (spot * tickRatio(away)) >> BITS
}

/** Money that the pool pays for an amount of the token at its mean price, if the sale is small. In smallest units. */
export const moneyAtMean = ({ bought, meanTick, returned, tick }: PoolReading, amount: bigint): bigint =>
  (((amount * returned) / bought) * tickRatio(meanTick - tick)) >> BITS

/** Amount of the token that costs so much money at the pool's mean price. In smallest units. */
export const amountAtMean = ({ bought, meanTick, returned, tick }: PoolReading, money: bigint): bigint =>
  (((money * bought) / returned) * tickRatio(tick - meanTick)) >> BITS

/**
 * Dollars that the pool pays for a large sale, scaled by 10^18. Liquidity that came during the window counts for the part of the
 * window in which it was there.
 */
export const weightOf = ({ depth, liquidity, meanLiquidity }: PoolReading, money: PricedMoney): bigint => {
  const usd = (depth * money.usd) / 10n ** BigInt(money.decimals)
  return meanLiquidity >= liquidity ? usd : (usd * meanLiquidity) / liquidity
}

const distance = (a: bigint, b: bigint): bigint => (a > b ? a - b : b - a)

/** True if the value is within this many basis points of the reference. */
export const isWithin = (value: bigint, reference: bigint, toleranceBps: bigint): boolean =>
  distance(value, reference) * BPS <= reference * toleranceBps

/** The lowest price that at least half of the weight does not exceed. Undefined without any weight. */
export const weightedMedian = (prices: ReadonlyArray<WeightedPrice>): UsdPrice | undefined => {
  const rising = prices.filter(({ weight }) => weight > 0n).toSorted((a, b) => (a.price < b.price ? -1 : 1))
  const total = rising.reduce((sum, { weight }) => sum + weight, 0n)
  let below = 0n
  for (const { price, weight } of rising) {
    below += weight
    if (2n * below >= total) return price
  }
  return undefined
}

/**
 * The weighted median, if at least two thirds of the weight are within the tolerance of it. Otherwise the pools disagree, and no
 * price is better than a wrong one.
 */
export const agreedPrice = (prices: ReadonlyArray<WeightedPrice>, toleranceBps: bigint): UsdPrice | undefined => {
  const median = weightedMedian(prices)
  if (median === undefined || median === 0n) return undefined
  const sum = (counted: ReadonlyArray<WeightedPrice>) => counted.reduce((so, { weight }) => so + weight, 0n)
  const near = sum(prices.filter(({ price }) => isWithin(price, median, toleranceBps)))
  return 3n * near >= 2n * sum(prices) ? median : undefined
}
