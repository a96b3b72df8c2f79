/** Earnings of the last days for one token, because amounts of different tokens cannot be added. */
import type { UseQueryResult } from "@tanstack/react-query"
import { useState } from "react"
import { RECENT_DAYS, type recentActivity } from "../api/queries.ts"
import type { TokenBook } from "../api/tokens.ts"
import { readable } from "../lib/amounts.ts"
import { shorten } from "../lib/shorten.ts"
import { lastDays } from "../lib/time.ts"
import { Amount } from "../ui/Amount.tsx"
import { BarChart } from "../ui/BarChart.tsx"
import { Card } from "../ui/Card.tsx"
import { Select } from "../ui/Field.tsx"
import { EmptyState, ErrorState, Skeleton } from "../ui/States.tsx"
import { byToken, type TokenEarnings } from "./earnings.ts"

type Recent = UseQueryResult<Awaited<ReturnType<NonNullable<Exclude<typeof recentActivity.queryFn, symbol>>>>>

const label = (book: TokenBook, { chainId, token }: TokenEarnings): string => {
  return `${book.token(chainId, token)?.symbol ?? shorten(token)}${chainId === undefined ? "" : ` on ${book.chainName(chainId)}`}`
}

function Chart({
  book,
  selected,
  tokens,
  onSelect
}: {
  readonly book: TokenBook
  readonly tokens: ReadonlyArray<TokenEarnings>
  readonly selected: TokenEarnings
  readonly onSelect: (key: string) => void
}) {
  const token = book.token(selected.chainId, selected.token)
  const format = (value: bigint) => `${readable(value, token?.decimals ?? 0)} ${token?.symbol ?? "units"}`
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <p>
          <span className="block text-2xl sm:text-3xl font-semibold tracking-tight">
            <Amount token={token} value={selected.total} />
          </span>
          <span className="text-sm text-muted">
            from {selected.sweeps.toLocaleString()} {selected.sweeps === 1 ? "sweep" : "sweeps"}
          </span>
        </p>
        <div className="w-48 max-w-full">
          <Select hideLabel label="Token" onChange={(event) => onSelect(event.target.value)} value={selected.key}>
            {tokens.map((each) => (
              <option key={each.key} value={each.key}>
                {label(book, each)}
              </option>
            ))}
          </Select>
        </div>
      </div>
      <BarChart bars={selected.bars} format={format} title={`Earned by day, ${label(book, selected)}`} />
    </div>
  )
}

export function EarnedByDay({ book, recent }: { readonly book: TokenBook; readonly recent: Recent }) {
  const [chosen, setChosen] = useState<string>()
  const tokens = recent.data === undefined ? undefined : byToken(recent.data.entries, lastDays(RECENT_DAYS, Date.now()))
  const selected = tokens?.find(({ key }) => key === chosen) ?? tokens?.[0]
  return (
    <Card description={`Last ${RECENT_DAYS} days, in UTC`} title="Earned by day">
      <div className="grid min-h-72 content-center">
        {recent.isError ? (
          <ErrorState error={recent.error} retry={recent.refetch} />
        ) : tokens === undefined ? (
          <Skeleton className="h-72 w-full" />
        ) : selected === undefined ? (
          <EmptyState icon="chart" title="Nothing earned yet">
            Earnings of each day appear here when sweeps with your markup settle.
          </EmptyState>
        ) : (
          <Chart book={book} onSelect={setChosen} selected={selected} tokens={tokens} />
        )}
      </div>
    </Card>
  )
}
