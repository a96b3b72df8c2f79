/** Formats and parses token amounts. Amounts are never rounded up. */
import { lazily } from "./lazily.ts"

const FRACTION_DIGITS = 6

/** The exact number of whole tokens without grouping, for files and tooltips. */
export const exact = (value: bigint, decimals: number): string => {
  const negative = value < 0n
  const digits = (negative ? -value : value).toString().padStart(decimals + 1, "0")
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = decimals === 0 ? "" : digits.slice(-decimals).replace(/0+$/, "")
  return `${negative ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`
}

const grouped = (whole: string): string => whole.replace(/\B(?=(?:\d{3})+$)/g, ",")

/**
 * Whole tokens with grouping and at most `fractionDigits` decimals, truncated. A positive amount that truncates to zero is
 * shown as less than the smallest number that can be shown, e.g. `<0.0001`.
 */
export const readable = (value: bigint, decimals: number, fractionDigits: number = FRACTION_DIGITS): string => {
  const sign = value < 0n ? "-" : ""
  const [whole = "0", fraction = ""] = exact(value < 0n ? -value : value, decimals).split(".")
  const shown = fraction.slice(0, fractionDigits).replace(/0+$/, "")
  if (value !== 0n && whole === "0" && shown === "") {
    return `${sign}<${exact(1n, fractionDigits)}`
  }
  return `${sign}${grouped(whole)}${shown === "" ? "" : `.${shown}`}`
}

/** Sign between whole tokens and decimals in an amount that the user enters. */
export type Separator = "." | ","

/** The separator of the browser's language, which is the one on a phone's number pad. */
export const separator: () => Separator = lazily(() =>
  new Intl.NumberFormat().formatToParts(1.5).some(({ type, value }) => type === "decimal" && value === ",") ? "," : "."
)

/** The exact number of whole tokens, as the user would enter it. */
export const editable = (value: bigint, decimals: number, sign: Separator): string =>
  exact(value, decimals).replace(".", sign)

/** A point that may stand between thousands where the language has a comma before decimals. */
const AMBIGUOUS = /^[1-9]\d{0,2}\.\d{3}$/

/**
 * Parses user input in whole tokens. A point is the decimal sign, and a comma if it is the separator. Undefined if it is not a number, is
 * ambiguous, or has more decimals than the token.
 */
export const parse = (text: string, decimals: number, sign: Separator): bigint | undefined => {
  const typed = text.trim()
  if (sign === "," && AMBIGUOUS.test(typed)) return undefined
  const match = (sign === "," ? /^(\d*)(?:[.,](\d*))?$/ : /^(\d*)(?:\.(\d*))?$/).exec(typed)
  const [, whole = "", fraction = ""] = match ?? []
  if (match === null || whole + fraction === "" || fraction.length > decimals) return undefined
  return BigInt(whole + fraction.padEnd(decimals, "0"))
}

/** The message for an input that {@link parse} does not read, if a point or a comma is the reason. */
export const separatorProblem = (text: string, sign: Separator): string | undefined => {
  if (!text.includes(sign === "," ? "." : ",")) return undefined
  return sign === ","
    ? "Write decimals after a comma, and no point between thousands."
    : "Write decimals after a point, and no comma between thousands."
}

/** Basis points as a percentage, e.g. `0.3%`. */
export const percent = (bps: number): string => `${exact(BigInt(bps), 2)}%`
