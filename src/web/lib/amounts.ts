/** Formats and parses token amounts. Amounts are never rounded up. */

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

/** Parses user input in whole tokens. Undefined if it is not a number or has more decimals than the token. */
export const parse = (text: string, decimals: number): bigint | undefined => {
  const match = /^(\d*)(?:\.(\d*))?$/.exec(text.trim())
  const [, whole = "", fraction = ""] = match ?? []
  if (match === null || whole + fraction === "" || fraction.length > decimals) return undefined
  return BigInt(whole + fraction.padEnd(decimals, "0"))
}

/** Basis points as a percentage, e.g. `0.3%`. */
export const percent = (bps: number): string => `${exact(BigInt(bps), 2)}%`
