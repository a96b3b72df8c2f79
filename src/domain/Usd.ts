/** US dollar values: a bigint scaled by 10^18 inside, a plain decimal string on the wire. */
import { Schema } from "effect"
import type { UsdPrice } from "./Fees.ts"

export const UsdText = Schema.String.annotate({ description: "US dollars as a decimal string" })

/** A plain decimal that {@link parse} reads. */
const PLAIN = /^(\d{1,60})(?:\.(\d{1,18}))?$/

/** A value of at least 0 that a client sends. */
export const UsdAmount = Schema.String.check(
  Schema.isPattern(PLAIN, { message: "expected US dollars as a decimal string" })
).annotate({ description: "US dollars as a decimal string" })

const SCALE = 10n ** 18n

/** Value of `amount` units at `price` per whole token, rounded down. */
export const valueOf = (amount: bigint, price: UsdPrice, decimals: number): bigint =>
  (amount * price) / 10n ** BigInt(decimals)

/** Exact decimal text of a scaled value without trailing zeros. `1500000000000000000` is `"1.5"`. */
export const format = (scaled: bigint): string => {
  if (scaled < 0n) return `-${format(-scaled)}`
  const fraction = (scaled % SCALE).toString().padStart(18, "0").replace(/0+$/, "")
  return fraction === "" ? `${scaled / SCALE}` : `${scaled / SCALE}.${fraction}`
}

/** The value of such a text. Undefined for any other text. */
export const parse = (text: string): bigint | undefined => {
  const [, whole, fraction = ""] = PLAIN.exec(text) ?? []
  return whole === undefined ? undefined : BigInt(whole) * SCALE + BigInt(fraction.padEnd(18, "0"))
}
