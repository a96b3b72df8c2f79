/** Plan of the treasury's sales: what is sold, when, in which lots, and for how much at least. Pure. */
import type * as Address from "./Address.ts"
import { BPS, lessBps, mulDivDown } from "./Amount.ts"
import type { UsdPrice } from "./Fees.ts"
import type { HoldingState, SaleFailure } from "./Treasury.ts"
import * as Usd from "./Usd.ts"

/** Values in US dollars, scaled by 10^18. */
export interface SaleLimits {
  /** A balance of a smaller value is not sold. */
  readonly minValue: bigint
  /** One sale has at most this value. A larger balance is sold in several. */
  readonly maxValue: bigint
}

/** Price of a token with its decimals. */
export interface Priced {
  readonly usd: UsdPrice
  readonly decimals: number
}

/** Everything that decides about a token's balance. */
export interface HoldingFacts {
  readonly token: Address.Address
  /** In the token's smallest unit. Undefined if it could not be read. */
  readonly held: bigint | undefined
  /** Asset of the chain. Undefined if none is set. */
  readonly asset: Address.Address | undefined
  /** True if a sale of the token is under way. */
  readonly isSelling: boolean
  /** Failed attempts since the last sale. */
  readonly failure: SaleFailure | undefined
  /** Undefined if the token has no price. */
  readonly price: Priced | undefined
  /** False if the prices could not be read at all. */
  readonly isPriceKnown: boolean
  /** True if the account is the builders' vault, too, so that a part of the balance is owed to builders. */
  readonly isVaultShared: boolean
}

export interface HoldingPlan {
  readonly state: HoldingState
  /** Value of the balance, scaled by 10^18. Undefined without a balance or a price. */
  readonly value?: bigint
  /** First lot, if the balance is to be sold. */
  readonly lot?: Lot
  /** UNIX milliseconds of the next attempt, if the last one failed. */
  readonly retryAtMs?: number
}

/** One of several equal parts of a balance, which are sold one after the other. */
export interface Lot {
  readonly amount: bigint
  /** Amount of the later lots. */
  readonly rest: bigint
  /** Number of lots with this one. */
  readonly lots: number
}

const HOUR_MILLIS = 3_600_000

/** A token without a route is asked for at least once a week, since liquidity may come. */
const RETRY_CAP_MILLIS = 168 * HOUR_MILLIS

/** Time of the next attempt, in UNIX milliseconds: 1 hour after the first failure, twice that after each further one, at most a week. */
export const retryAtMs = ({ failedAtMs, failures }: Pick<SaleFailure, "failures" | "failedAtMs">): number =>
  failedAtMs + Math.min(RETRY_CAP_MILLIS, HOUR_MILLIS * 2 ** Math.min(30, Math.max(0, failures - 1)))

/**
 * First of the fewest equal lots that have at most `maxValue` each, but for less than one unit. `value` is the balance's, scaled by
 * 10^18. All lots together are the balance.
 */
export const lotOf = (held: bigint, value: bigint, maxValue: bigint): Lot => {
  const wanted = value <= maxValue || maxValue <= 0n ? 1n : (value + maxValue - 1n) / maxValue
  // A unit cannot be divided.
  const lots = wanted > held ? held : wanted
  const amount = (held + lots - 1n) / lots
  return { amount, rest: held - amount, lots: Number(lots) }
}

/** Lot after one with `rest` left. Undefined if nothing is left. `amount` is that of the lot before. */
export const nextLot = ({ amount, rest }: Pick<Lot, "amount" | "rest">): Pick<Lot, "amount" | "rest"> | undefined => {
  if (rest <= 0n) return undefined
  const next = rest < amount ? rest : amount
  return { amount: next, rest: rest - next }
}

/** Decides about a token's balance. */
export const planOf = (facts: HoldingFacts, limits: SaleLimits, nowMs: number): HoldingPlan => {
  const { asset, failure, held, isPriceKnown, isSelling, isVaultShared, price, token } = facts
  if (held === undefined) return { state: isSelling ? "selling" : "unknown" }
  const value = price === undefined ? undefined : Usd.valueOf(held, price.usd, price.decimals)
  const valued = value === undefined ? {} : { value }
  if (isSelling) return { state: "selling", ...valued }
  if (held === 0n) return { state: "empty", ...valued }
  if (asset === undefined) return { state: "no_asset", ...valued }
  if (token === asset) return { state: "asset", ...valued }
  if (isVaultShared) return { state: "shared_vault", ...valued }
  if (failure !== undefined && nowMs < retryAtMs(failure)) {
    return { state: "unsellable", retryAtMs: retryAtMs(failure), ...valued }
  }
  if (!isPriceKnown) return { state: "unknown" }
  // A token without a price has no minimum output, so it is never sold.
  if (value === undefined) return { state: "unsellable", retryAtMs: nowMs }
  if (value < limits.minValue) return { state: "small", value }
  return { state: "sell", value, lot: lotOf(held, value, limits.maxValue) }
}

/**
 * Least output of a sale, in the smallest unit of the asset: the value of `amount`, less the tolerance in basis points. Rounded down. At
 * least 1, since an order needs a minimum.
 */
export const leastOutput = (amount: bigint, token: Priced, asset: Priced, toleranceBps: number): bigint => {
  const fair = mulDivDown(amount * token.usd, 10n ** BigInt(asset.decimals), asset.usd * 10n ** BigInt(token.decimals))
  const least = lessBps(fair, Math.min(toleranceBps, Number(BPS)))
  return least > 0n ? least : 1n
}

/**
 * Time of the next round, in UNIX milliseconds: `firstAtMs` before the first. Undefined without an interval: rounds run on request only.
 */
export const nextRoundAtMs = (
  lastRoundAtMs: number | undefined,
  intervalMillis: number | undefined,
  firstAtMs: number
): number | undefined =>
  intervalMillis === undefined ? undefined : lastRoundAtMs === undefined ? firstAtMs : lastRoundAtMs + intervalMillis
