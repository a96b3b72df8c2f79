/** Earnings of a builder in memory: sums over its entries of the days of a period. */
import { type EarningDay, type Earnings, NONE, type TokenEarnings } from "../../../domain/Earnings.ts"
import type { LedgerEntry } from "../../../domain/LedgerEntry.ts"
import { type Books, entriesOf } from "./Books.ts"

const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

const SWEEPS = { accrual: 1, reversal: -1, payment: 0 } as const

/** Value of what a payment paid, and the part of it that had a price when it was earned. */
const paidFor = ({ batches }: Books["Service"], { builderId, token, txHash }: LedgerEntry) => {
  const batch = [...batches.values()].find((each) => each.txHash === txHash && each.token === token)
  const priced = (batch?.claims ?? []).filter((claim) => claim.builderId === builderId && claim.usd !== undefined)
  return {
    usd: priced.reduce((sum, { usd = 0n }) => sum + usd, 0n),
    amount: priced.reduce((sum, { earned }) => sum + earned, 0n)
  }
}

const partOf = (books: Books["Service"], entry: LedgerEntry): Omit<TokenEarnings, "chainId" | "token"> => {
  const { earned, kind, paid, usd } = entry
  const sweeps = SWEEPS[kind]
  if (kind === "payment") {
    const priced = paidFor(books, entry)
    return { ...NONE, sweeps, paid, paidUsd: priced.usd, paidUnpriced: paid - priced.amount }
  }
  if (usd === undefined) return { ...NONE, sweeps, earned, earnedUnpriced: earned, paid, paidUnpriced: paid }
  return { ...NONE, sweeps, earned, earnedUsd: usd, paid, paidUsd: paid === 0n ? 0n : usd }
}

const added = (a: Omit<TokenEarnings, "chainId" | "token">, b: typeof a) => ({
  sweeps: a.sweeps + b.sweeps,
  earned: a.earned + b.earned,
  earnedUsd: a.earnedUsd + b.earnedUsd,
  earnedUnpriced: a.earnedUnpriced + b.earnedUnpriced,
  paid: a.paid + b.paid,
  paidUsd: a.paidUsd + b.paidUsd,
  paidUnpriced: a.paidUnpriced + b.paidUnpriced
})

export const earningsOf = (
  books: Books["Service"],
  builderId: string,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }
): Earnings => {
  const [from, to] = [dayOf(fromMs), dayOf(toMs)]
  const own = entriesOf(books).filter((entry) => {
    const day = dayOf(entry.createdAtMs)
    return entry.builderId === builderId && day >= from && day <= to
  })
  const tokens = Map.groupBy(own, ({ chainId, token }) => `${chainId ?? ""}:${token}`)
  const days = Map.groupBy(own, ({ createdAtMs }) => dayOf(createdAtMs))
  const sumOf = (entries: ReadonlyArray<LedgerEntry>) =>
    entries.map((entry) => partOf(books, entry)).reduce(added, NONE)
  return {
    tokens: [...tokens.values()]
      .flatMap(([first, ...others]): ReadonlyArray<TokenEarnings> => {
        if (first === undefined) return []
        const { chainId, token } = first
        return [{ token, ...(chainId === undefined ? {} : { chainId }), ...sumOf([first, ...others]) }]
      })
      .toSorted((a, b) => (a.chainId ?? 0) - (b.chainId ?? 0) || (a.token < b.token ? -1 : 1)),
    days: [...days]
      .map(([day, entries]): EarningDay => ({ day, earnedUsd: sumOf(entries).earnedUsd }))
      .toSorted((a, b) => (a.day < b.day ? -1 : 1))
  }
}
