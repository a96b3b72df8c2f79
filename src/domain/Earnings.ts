/** Earnings and payments of a builder in a period, in US dollars at the prices of the settlements, and what is owed now. */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import { Sum } from "./Amount.ts"
import { ChainId } from "./ChainId.ts"
import { described } from "./Described.ts"
import { type LedgerTotals, owed } from "./LedgerEntry.ts"
import { PERIODS, type Period } from "./Money.ts"
import * as Usd from "./Usd.ts"

/** Sums of a token on a chain. Amounts are in the smallest unit, and dollars are scaled by 10^18. */
export interface TokenEarnings {
  /** Absent for accruals that are assigned to no chain. */
  readonly chainId?: ChainId
  readonly token: Address.Address
  /** Accruals, less reversed ones. */
  readonly sweeps: number
  readonly earned: bigint
  readonly earnedUsd: bigint
  /** The part of `earned` whose price at its settlement is not known. It is not in `earnedUsd`. */
  readonly earnedUnpriced: bigint
  readonly paid: bigint
  /** Value of what was paid when it was earned. */
  readonly paidUsd: bigint
  /** The part of `paid` that is not in `paidUsd`. */
  readonly paidUnpriced: bigint
}

/** Earnings of a UTC day, in dollars scaled by 10^18. */
export interface EarningDay {
  /** `YYYY-MM-DD`. */
  readonly day: string
  readonly earnedUsd: bigint
}

export interface Earnings {
  /** Ordered by chain, then token. Those without a chain come first. */
  readonly tokens: ReadonlyArray<TokenEarnings>
  /** Oldest first. Days without entries are left out. */
  readonly days: ReadonlyArray<EarningDay>
}

export const NONE = {
  sweeps: 0,
  earned: 0n,
  earnedUsd: 0n,
  earnedUnpriced: 0n,
  paid: 0n,
  paidUsd: 0n,
  paidUnpriced: 0n
}

export const EarningsView = Schema.Struct({
  days: described(Schema.Literals(PERIODS), "Length of the period in days. The last one is today."),
  fromDay: described(Schema.String, "First UTC day of the period, YYYY-MM-DD."),
  earnedUsd: described(
    Usd.UsdText,
    "Earned in the period, at the prices of the settlements, less what was taken back. It does not contain amounts whose price then is not known."
  ),
  paidUsd: described(Usd.UsdText, "Paid in the period, valued like earnedUsd at the time when it was earned."),
  tokens: described(
    Schema.Array(
      Schema.Struct({
        chainId: described(
          Schema.optionalKey(ChainId),
          "Chain of the token. Absent if it was neither reported nor assigned."
        ),
        token: described(Address.Address, "Token of the amounts."),
        sweeps: described(Schema.Int, "Settlements of the period, less those that were taken back."),
        earned: described(Sum, "Earned in the period, in the smallest unit of the token."),
        earnedUsd: described(Usd.UsdText, "Value of `earned`, without `earnedUnpriced`."),
        earnedUnpriced: described(Sum, "Part of `earned` whose price at the settlement is not known."),
        paid: described(Sum, "Paid in the period, in the smallest unit of the token."),
        paidUsd: described(Usd.UsdText, "Value of `paid` when it was earned, without `paidUnpriced`."),
        paidUnpriced: described(Sum, "Part of `paid` whose price when it was earned is not known."),
        owed: described(Sum, "Owed now, whenever it was earned, in the smallest unit of the token.")
      }).annotate({ identifier: "TokenEarnings" })
    ),
    "Sums by token and chain: of the period, and what is owed now."
  ),
  byDay: described(
    Schema.Array(
      Schema.Struct({
        day: described(Schema.String, "UTC day, YYYY-MM-DD."),
        earnedUsd: described(Usd.UsdText, "Earned on the day, like the sum.")
      })
    ),
    "Every UTC day of the period, oldest first."
  )
}).annotate({ identifier: "Earnings" })
export type EarningsView = typeof EarningsView.Type

const DAY_MILLIS = 86_400_000

const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

const keyOf = ({ chainId, token }: Pick<TokenEarnings, "chainId" | "token">): string => `${chainId ?? ""}:${token}`

const sum = <Row>(rows: ReadonlyArray<Row>, of: (row: Row) => bigint): bigint =>
  rows.reduce((total, row) => total + of(row), 0n)

/** The sums of a period that ends on the day of `nowMs`, with the balances of the builder. */
export const viewOf = (
  days: Period,
  fromMs: number,
  { days: known, tokens }: Earnings,
  totals: ReadonlyArray<LedgerTotals>
): EarningsView => {
  const balances = new Map(totals.map((line) => [keyOf(line), line]))
  const listed = new Set(tokens.map(keyOf))
  const others = totals
    .filter((line) => owed(line) > 0n && !listed.has(keyOf(line)))
    .map(({ chainId, token }) => ({ ...NONE, token, ...(chainId === undefined ? {} : { chainId }) }))
  const byDay = new Map(known.map(({ day, earnedUsd }) => [day, earnedUsd]))
  return {
    days,
    fromDay: dayOf(fromMs),
    earnedUsd: Usd.format(sum(tokens, ({ earnedUsd }) => earnedUsd)),
    paidUsd: Usd.format(sum(tokens, ({ paidUsd }) => paidUsd)),
    tokens: [...tokens, ...others].map(({ earnedUsd, paidUsd, ...line }) => {
      const balance = balances.get(keyOf(line))
      const due = balance === undefined ? 0n : owed(balance)
      return {
        ...line,
        earnedUsd: Usd.format(earnedUsd),
        paidUsd: Usd.format(paidUsd),
        owed: due > 0n ? due : 0n
      }
    }),
    byDay: Array.from({ length: days }, (_, index) => {
      const day = dayOf(fromMs + index * DAY_MILLIS)
      return { day, earnedUsd: Usd.format(byDay.get(day) ?? 0n) }
    })
  }
}
