/** Sums of accruals by token and by day. */
import type { Activity } from "../../domain/LedgerEntry.ts"
import { utcDay } from "../lib/time.ts"
import type { Bar } from "../ui/BarChart.tsx"

export interface TokenEarnings {
  readonly key: string
  readonly chainId: number | undefined
  readonly token: string
  readonly sweeps: number
  readonly total: bigint
  readonly bars: ReadonlyArray<Bar>
}

/** Key of a token on a chain. */
export const tokenKey = (chainId: number | undefined, token: string): string => `${chainId ?? ""}:${token}`

/** Earnings of each token by day, without reversed ones. The token with the most sweeps is first. */
export const byToken = (
  entries: ReadonlyArray<Activity>,
  days: ReadonlyArray<string>
): ReadonlyArray<TokenEarnings> => {
  const kept = entries.filter(({ reversed }) => reversed !== true)
  const groups = Map.groupBy(kept, ({ chainId, token }) => tokenKey(chainId, token))
  return Array.from(groups, ([key, group]) => {
    const amounts = new Map<string, bigint>()
    for (const { amount, createdAtMs } of group) {
      const day = utcDay(createdAtMs)
      amounts.set(day, (amounts.get(day) ?? 0n) + amount)
    }
    return {
      key,
      chainId: group[0]?.chainId,
      token: group[0]?.token ?? "",
      sweeps: group.length,
      total: group.reduce((sum, { amount }) => sum + amount, 0n),
      bars: days.map((day) => ({ day, value: amounts.get(day) ?? 0n }))
    }
  }).toSorted((one, other) => other.sweeps - one.sweeps)
}
