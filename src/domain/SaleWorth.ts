/**
 * Worth of a balance by what it sells for at once, as the exchanges of a chain say. A price alone says nothing about liquidity: one unit
 * may have a price while the balance finds no buyer.
 */
import type * as Address from "./Address.ts"
import { mulDivDown } from "./Amount.ts"
import type { UsdPrice } from "./Fees.ts"
import * as Usd from "./Usd.ts"

/** Amount of a money token that a sale pays. */
export interface Output {
  readonly token: Address.Address
  /** In the smallest unit of the money token. */
  readonly amount: bigint
}

/** The best output in each money token that has a pool, or no pool at all. */
export type SaleEstimate =
  | { readonly _tag: "Paid"; readonly outputs: ReadonlyArray<Output> }
  | { readonly _tag: "NoRoute" }

/** An estimate of an amount at a time. */
export interface KnownEstimate {
  readonly amount: bigint
  /** Smallest amount that was read with the same outcome. Default: `amount`. */
  readonly least?: bigint
  readonly estimate: SaleEstimate
  /** UNIX milliseconds. */
  readonly atMillis: number
}

/** Age up to which an output counts, in milliseconds. */
export const OUTPUT_LIFETIME_MILLIS = 15_000

/** Age up to which a token without a pool counts as one, in milliseconds. A pool that is created is seen after it at the latest. */
export const NO_ROUTE_LIFETIME_MILLIS = 60_000

/**
 * Smallest share of a known amount to which an estimate applies. Below it, proportion would be far too low for a thin pool, and a pool that
 * cannot buy the known amount may buy a small one.
 */
const SMALLEST_SHARE = 2n

const lifetimeOf = ({ _tag }: SaleEstimate): number =>
  _tag === "NoRoute" ? NO_ROUTE_LIFETIME_MILLIS : OUTPUT_LIFETIME_MILLIS

/**
 * The estimate of another amount of the same token. Undefined if the known one is too old or does not apply. Output is a concave function
 * of the input, so an output in proportion never promises more than a new reading of a smaller amount.
 */
export const applied = (known: KnownEstimate, amount: bigint, nowMillis: number): SaleEstimate | undefined => {
  const age = nowMillis - known.atMillis
  const { estimate, least = known.amount } = known
  if (amount > known.amount || amount * SMALLEST_SHARE < least) return undefined
  if (age >= lifetimeOf(estimate)) return undefined
  if (estimate._tag === "NoRoute") return estimate
  return {
    _tag: "Paid",
    outputs: estimate.outputs.map((output) => ({
      token: output.token,
      amount: mulDivDown(output.amount, amount, known.amount)
    }))
  }
}

/**
 * The estimate to remember after a new reading. That no pool buys an amount says nothing about smaller ones, so it does not replace an
 * output of a smaller amount. Two readings without a pool apply to the amounts between them as well, until the older one expires.
 */
export const remembered = (before: KnownEstimate | undefined, after: KnownEstimate): KnownEstimate => {
  if (before === undefined || after.estimate._tag === "Paid") return after
  if (after.atMillis - before.atMillis >= lifetimeOf(before.estimate)) return after
  if (before.estimate._tag === "Paid") return after.amount > before.amount ? before : after
  const { amount, atMillis, least = amount } = before
  return {
    ...after,
    amount: after.amount > amount ? after.amount : amount,
    least: after.amount < least ? after.amount : least,
    atMillis
  }
}

/** A money token, with its price. */
export interface Money {
  readonly usd: UsdPrice
  readonly decimals: number
}

/** Highest output in US dollars, scaled by 10^18. Undefined if no money token that is paid has a price. */
export const proceedsUsd = (
  outputs: ReadonlyArray<Output>,
  monies: ReadonlyMap<Address.Address, Money>
): bigint | undefined =>
  outputs.reduce<bigint | undefined>((most, { amount, token }) => {
    const money = monies.get(token)
    if (money === undefined || money.usd <= 0n) return most
    const value = Usd.valueOf(amount, money.usd, money.decimals)
    return most === undefined || value > most ? value : most
  }, undefined)

/**
 * Price per whole token that a sale of the whole balance pays, rounded down. Never above the token's price, so that a pool that was made
 * for the occasion cannot make a token worth more.
 */
export const priceOfSale = (
  price: UsdPrice,
  proceeds: bigint | undefined,
  { balance, decimals }: { readonly balance: bigint; readonly decimals: number }
): UsdPrice => {
  if (proceeds === undefined || balance <= 0n) return price
  const paid = mulDivDown(proceeds, 10n ** BigInt(decimals), balance)
  return paid < price ? paid : price
}
