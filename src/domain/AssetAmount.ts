/** Amounts of one asset in tokens with different decimals. */

/** Decimals of two tokens of one asset. */
export interface Decimals {
  readonly from: number
  readonly to: number
}

const power = (exponent: number): bigint => 10n ** BigInt(exponent)

/** The amount in the other token's smallest unit, rounded down. Nobody can promise the fraction. */
export const convert = (amount: bigint, { from, to }: Decimals): bigint =>
  to >= from ? amount * power(to - from) : amount / power(from - to)

/** Both amounts in the finer of the two units, so that they compare exactly. `from` counts the first one, `to` the second. */
export const comparable = (first: bigint, second: bigint, { from, to }: Decimals): readonly [bigint, bigint] =>
  to >= from ? [first * power(to - from), second] : [first, second * power(from - to)]
