/** Token amounts as people read them. Never rounded up: what is shown is never more than what there is. */

const FRACTION_DIGITS = 6

/** The exact decimal number of whole tokens, for files and tooltips, without grouping. */
export const exact = (value: bigint, decimals: number): string => {
  const negative = value < 0n
  const digits = (negative ? -value : value).toString().padStart(decimals + 1, "0")
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = decimals === 0 ? "" : digits.slice(-decimals).replace(/0+$/, "")
  return `${negative ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`
}

const grouped = (whole: string): string => whole.replace(/\B(?=(?:\d{3})+$)/g, ",")

/**
 * Whole tokens with grouping and at most `fractionDigits` decimals, cut towards zero. What is there but too small to show
 * reads as less than the least that can be shown.
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

/** Reads what a person typed as whole tokens. Undefined when it is not a number, or finer than the token. */
export const parse = (text: string, decimals: number): bigint | undefined => {
  const match = /^(\d*)(?:\.(\d*))?$/.exec(text.trim())
  const [, whole = "", fraction = ""] = match ?? []
  if (match === null || whole + fraction === "" || fraction.length > decimals) return undefined
  return BigInt(whole + fraction.padEnd(decimals, "0"))
}

/** Basis points as a percentage, e.g. `0.3%`. */
export const percent = (bps: number): string => `${exact(BigInt(bps), 2)}%`
