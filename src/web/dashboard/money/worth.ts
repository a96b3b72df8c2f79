/**
 * Values of a builder's earnings. Earned and paid amounts count at the price of their settlement, and those without one at the price of
 * now, if there is one. Owed amounts count at the price of now. An amount without any price is never counted as 0: it is told apart.
 */
import type { EarningsView } from "../../../domain/Earnings.ts"
import type { PriceOf } from "../../api/prices.ts"
import type { TokenBook } from "../../api/tokens.ts"
import { total, valueUsd } from "../../lib/usd.ts"

export type TokenLine = EarningsView["tokens"][number]

/** Dollars with what they lack. */
export interface Worth {
  /** Known value as a decimal string. */
  readonly usd: string
  /** Part of it that is valued at the price of now, though it was earned before. */
  readonly atPresent: string
  /** Tokens that have an amount without any price. */
  readonly unpriced: ReadonlyArray<TokenLine>
}

export interface Worths {
  readonly earned: Worth
  readonly paid: Worth
  readonly owed: Worth
}

const NOTHING: Worth = { usd: "0", atPresent: "0", unpriced: [] }

const added = (a: Worth, b: Worth): Worth => ({
  usd: total([a.usd, b.usd]),
  atPresent: total([a.atPresent, b.atPresent]),
  unpriced: [...a.unpriced, ...b.unpriced]
})

/** Values of a token. */
export const worthOf = (line: TokenLine, book: TokenBook, priceOf: PriceOf): Worths => {
  const { chainId, token } = line
  const decimals = book.token(chainId, token)?.decimals
  const price = priceOf(chainId, token)
  const now = (amount: bigint) =>
    amount === 0n ? "0" : decimals === undefined || price === undefined ? undefined : valueUsd(amount, decimals, price)
  const then = (usd: string, rest: bigint): Worth => {
    const value = now(rest)
    return value === undefined
      ? { usd, atPresent: "0", unpriced: [line] }
      : { usd: total([usd, value]), atPresent: value, unpriced: [] }
  }
  const owed = now(line.owed)
  return {
    earned: then(line.earnedUsd, line.earnedUnpriced),
    paid: then(line.paidUsd, line.paidUnpriced),
    owed: owed === undefined ? { ...NOTHING, unpriced: [line] } : { ...NOTHING, usd: owed }
  }
}

export const sumOf = (all: ReadonlyArray<Worths>): Worths =>
  all.reduce<Worths>(
    (sum, each) => ({
      earned: added(sum.earned, each.earned),
      paid: added(sum.paid, each.paid),
      owed: added(sum.owed, each.owed)
    }),
    { earned: NOTHING, paid: NOTHING, owed: NOTHING }
  )
