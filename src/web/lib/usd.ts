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

/** The formatted value of an amount at a price per whole token. */
export const worth = (amount: bigint, decimals: number, priceUsd: string): string =>
  dollars(valueUsd(amount, decimals, priceUsd))

/** Sorts the highest value first and unknown values last. */
export const byValue = (a: string | null, b: string | null): number => {
  const [left, right] = [a === null ? -1n : scaled(a), b === null ? -1n : scaled(b)]
  return left === right ? 0 : left > right ? -1 : 1
}
