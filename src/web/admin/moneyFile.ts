/** Earnings and costs as a CSV file, in exact US dollars. */
import type { MoneyView } from "../../domain/Money.ts"
import { toCsv } from "../lib/csv.ts"

const COLUMNS = [
  "group",
  "key",
  "from_day",
  "days",
  "sweeps",
  "failed",
  "fees_usd",
  "gas_usd",
  "failures_usd",
  "net_usd",
  "sweeps_without_price",
  "gas_without_price"
]

export const moneyFile = (view: MoneyView, chainName: (chainId: number) => string): string => {
  const row = (group: string, key: string, line: MoneyView["total"]) => [
    group,
    key,
    view.fromDay,
    view.days,
    line.sweeps,
    line.failed,
    line.feesUsd,
    line.gasUsd,
    line.failuresUsd,
    line.netUsd,
    line.unpricedSweeps,
    line.isGasPriced ? "no" : "yes"
  ]
  return toCsv(COLUMNS, [
    row("all", "", view.total),
    ...view.chains.map((line) => row("chain", chainName(line.chainId), line)),
    ...view.builders.map((line) => row("builder", line.builderId ?? "", line)),
    ...view.tiers.map((line) => row("tier", line.tier ?? "", line))
  ])
}
