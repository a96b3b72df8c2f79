/** All accruals, with filters over the loaded ones and a CSV export. */
import { useInfiniteQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { Activity } from "../../domain/LedgerEntry.ts"
import { activity, activitySince } from "../api/queries.ts"
import { type TokenBook, useTokenBook } from "../api/tokens.ts"
import { exact } from "../lib/amounts.ts"
import { toCsv } from "../lib/csv.ts"
import { shorten } from "../lib/shorten.ts"
import { Card } from "../ui/Card.tsx"
import { Select } from "../ui/Field.tsx"
import { LoadMore } from "../ui/LoadMore.tsx"
import { Page } from "../ui/Page.tsx"
import { EmptyState, ErrorState } from "../ui/States.tsx"
import { type ActivityState, ActivityTable, stateOf } from "./ActivityTable.tsx"
import { tokenKey } from "./earnings.ts"
import { ExportCsv } from "./ExportCsv.tsx"

const toFile = (entries: ReadonlyArray<Activity>, book: TokenBook): string =>
  toCsv(
    ["time", "sweep_id", "chain_id", "token", "symbol", "amount", "amount_units", "status"],
    entries.map((entry) => {
      const known = book.token(entry.chainId, entry.token)
      return [
        new Date(entry.createdAtMs).toISOString(),
        entry.sweepId,
        entry.chainId ?? "",
        entry.token,
        known?.symbol ?? "",
        known === undefined ? "" : exact(entry.amount, known.decimals),
        entry.amount,
        stateOf(entry)
      ]
    })
  )

const STATES: ReadonlyArray<readonly [ActivityState, string]> = [
  ["owed", "Owed"],
  ["paid", "Paid"],
  ["reversed", "Taken back"]
]

interface Filters {
  readonly token: string
  readonly state: string
}

const ALL = "all"

const passes = (filters: Filters, entry: Activity): boolean =>
  (filters.token === ALL || filters.token === tokenKey(entry.chainId, entry.token)) &&
  (filters.state === ALL || filters.state === stateOf(entry))

function FilterBar({
  book,
  entries,
  filters,
  onChange
}: {
  readonly book: TokenBook
  readonly entries: ReadonlyArray<Activity>
  readonly filters: Filters
  readonly onChange: (filters: Filters) => void
}) {
  const tokens = Array.from(new Map(entries.map((entry) => [tokenKey(entry.chainId, entry.token), entry])))
  return (
    <div className="grid w-full gap-2 sm:w-auto sm:grid-cols-[12rem_10rem]">
      <Select
        hideLabel
        label="Token"
        onChange={(event) => onChange({ ...filters, token: event.target.value })}
        value={filters.token}
      >
        <option value={ALL}>All tokens</option>
        {tokens.map(([key, { chainId, token }]) => (
          <option key={key} value={key}>
            {book.token(chainId, token)?.symbol ?? shorten(token)}
            {chainId === undefined ? "" : ` on ${book.chainName(chainId)}`}
          </option>
        ))}
      </Select>
      <Select
        hideLabel
        label="Status"
        onChange={(event) => onChange({ ...filters, state: event.target.value })}
        value={filters.state}
      >
        <option value={ALL}>Any status</option>
        {STATES.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
    </div>
  )
}

export function ActivityPage() {
  const book = useTokenBook()
  const [filters, setFilters] = useState<Filters>({ token: ALL, state: ALL })
  const pages = useInfiniteQuery(activity)
  const loaded = pages.data?.pages.flatMap(({ entries }) => entries)
  const shown = loaded?.filter((entry) => passes(filters, entry))
  const file = async (most: number) => {
    const { entries } = await activitySince(0, most)
    return toFile(
      entries.filter((entry) => passes(filters, entry)),
      book
    )
  }
  return (
    <Page
      actions={<ExportCsv disabled={loaded === undefined || loaded.length === 0} fileName="activity.csv" make={file} />}
      description="Your earnings from each settled sweep."
      title="Activity"
    >
      <Card
        actions={<FilterBar book={book} entries={loaded ?? []} filters={filters} onChange={setFilters} />}
        description={
          loaded === undefined
            ? "Loading …"
            : shown?.length === loaded.length
              ? `${loaded.length}${pages.hasNextPage ? "+" : ""} entries`
              : `${shown?.length ?? 0} of ${loaded.length} loaded entries`
        }
        flush
        title="Earnings"
      >
        {pages.isError ? (
          <ErrorState error={pages.error} retry={pages.refetch} />
        ) : shown?.length === 0 ? (
          <EmptyState icon="activity" title={loaded?.length === 0 ? "No activity yet" : "Nothing matches"}>
            {loaded?.length === 0
              ? "A sweep that carries your key appears here once it has settled."
              : pages.hasNextPage
                ? "None of the loaded entries match. Load more, or change the filters."
                : "Change the filters to see more."}
          </EmptyState>
        ) : (
          <ActivityTable book={book} entries={shown} />
        )}
        <LoadMore pages={pages} />
      </Card>
    </Page>
  )
}
