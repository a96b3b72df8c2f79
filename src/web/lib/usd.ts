/** Formats US dollar amounts, which the service sends as decimal strings of any precision. Truncated to the cent. */
import { exact, readable } from "./amounts.ts"

const SCALE = 18

/** In units of 10^-18 dollars, truncated. */
const scaled = (usd: string): bigint => {
  const [whole = "0", fraction = ""] = usd.split(".")
  return BigInt(whole + fraction.slice(0, SCALE).padEnd(SCALE, "0"))
}

/** `$1,234.56`, or `<$0.01` for a positive amount below one cent. */
const show = (value: bigint): string => {
  if (value < 0n) return `-${show(-value)}`
  const text = readable(value, SCALE, 2)
  if (text.startsWith("<")) return `<$${text.slice(1)}`
  const [whole = "0", fraction = ""] = text.split(".")
  return `$${whole}.${fraction.padEnd(2, "0")}`
}

export const dollars = (usd: string): string => show(scaled(usd))

/** The sum of the known values. */
export const total = (values: ReadonlyArray<string | null>): string =>
  exact(
    values.reduce((sum, value) => sum + (value === null ? 0n : scaled(value)), 0n),
    SCALE
  )

/** The value of an amount at a price per whole token, as a decimal string. */
export const valueUsd = (amount: bigint, decimals: number, priceUsd: string): string =>
  exact((amount * scaled(priceUsd)) / 10n ** BigInt(decimals), SCALE)

/** Value of a part of an amount that is worth `usd` as a whole. 0 for a part of nothing. */
export const partUsd = (usd: string, part: bigint, whole: bigint): string =>
  whole === 0n ? "0" : exact((scaled(usd) * part) / whole, SCALE)

/** The formatted value of an amount at a price per whole token. */
export const worth = (amount: bigint, decimals: number, priceUsd: string): string =>
  dollars(valueUsd(amount, decimals, priceUsd))

/** A value as a number that orders values. Unknown ones are the lowest. */
export const comparable = (usd: string | null): bigint => (usd === null ? -1n : scaled(usd))

/** Sorts the highest value first and unknown values last. */
export const byValue = (a: string | null, b: string | null): number => {
  const [left, right] = [comparable(a), comparable(b)]
  return left === right ? 0 : left > right ? -1 : 1
}

/** True for a value below a whole number of dollars. */
export const isBelow = (usd: string, dollars: number): boolean => scaled(usd) < scaled(String(dollars))

/** Amount that is worth so many whole dollars at a price per whole token, rounded up. 0 if the price is 0. */
export const amountWorth = (dollars: number, decimals: number, priceUsd: string): bigint => {
  const price = scaled(priceUsd)
  if (price === 0n) return 0n
  return (scaled(String(dollars)) * 10n ** BigInt(decimals) + price - 1n) / price
}

/** The difference of two values, at least 0. */
export const minus = (a: string, b: string): string => {
  const difference = scaled(a) - scaled(b)
  return exact(difference > 0n ? difference : 0n, SCALE)
}

/** Basis points of `before` that `after` lacks, rounded up. Negative if `after` is more. Undefined for nothing. */
export const lostBps = (before: string, after: string): number | undefined => {
  const [from, to] = [scaled(before), scaled(after)]
  if (from === 0n) return undefined
  const lost = (from - to) * 10_000n
  return Number(lost > 0n ? (lost + from - 1n) / from : lost / from)
}
