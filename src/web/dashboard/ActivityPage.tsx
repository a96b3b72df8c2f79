/** All accruals: filtered, searched and paged by the server, and exported as CSV. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import type { Activity, EarningStatus } from "../../domain/LedgerEntry.ts"
import { accruals, activity, type EarningFilter, everyActivity } from "../api/queries.ts"
import { type TokenBook, useTokenBook } from "../api/tokens.ts"
import { exact } from "../lib/amounts.ts"
import { toCsv } from "../lib/csv.ts"
import { buttonClasses } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Page } from "../ui/Page.tsx"
import { EmptyState, ErrorState } from "../ui/States.tsx"
import { ActivityTable, STATUS_LABELS } from "./ActivityTable.tsx"
import { STATUSES, statusOf } from "./earningStatus.ts"
import { ExportCsv } from "./ExportCsv.tsx"
import { FilterBar } from "./lists/FilterBar.tsx"
import { filterOf, isFiltered, type ListFilter, periodOf } from "./lists/filter.ts"
import { PageButtons, Rows, usePageCursor } from "./lists/ListPage.tsx"

const toFile = (entries: ReadonlyArray<Activity>, book: TokenBook): string =>
  toCsv(
    ["time", "sweep_id", "chain_id", "token", "symbol", "amount", "amount_units", "status", "intent_id", "usd"],
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
        statusOf(entry),
        entry.intentId ?? "",
        entry.usd ?? ""
      ]
    })
  )

const isStatus = (text: unknown): text is EarningStatus => STATUSES.some((status) => status === text)

const queryOf = (filter: ListFilter): EarningFilter => ({
  ...(isStatus(filter.status) ? { status: filter.status } : {}),
  ...(filter.chain === undefined ? {} : { chainId: filter.chain }),
  ...(filter.token === undefined ? {} : { token: filter.token }),
  ...(filter.q === undefined ? {} : { q: filter.q }),
  ...periodOf(filter)
})

function Nothing({ isFiltered: filtered }: { readonly isFiltered: boolean }) {
  return filtered ? (
    <EmptyState
      action={
        <Link className={buttonClasses("secondary", false)} to="/activity">
          Show all
        </Link>
      }
      icon="activity"
      title="Nothing matches"
    >
      Change the filters to see more. The search finds a whole settlement id, transaction hash or sweep id.
    </EmptyState>
  ) : (
    <EmptyState
      action={
        <Link className={buttonClasses("secondary", false)} to="/quickstart">
          Open the quickstart
        </Link>
      }
      icon="activity"
      title="No activity yet"
    >
      A sweep that carries your key appears here once it has settled.
    </EmptyState>
  )
}

export function ActivityPage() {
  const book = useTokenBook()
  const navigate = useNavigate()
  const filter = filterOf(useSearch({ from: "/dashboard/activity" }), isStatus)
  const query = queryOf(filter)
  const pages = usePageCursor(JSON.stringify(query))
  const found = useQuery({ ...activity(query, pages.cursor), placeholderData: keepPreviousData })
  const earned = useQuery(accruals)
  const entries = found.data?.entries
  return (
    <Page
      actions={
        <ExportCsv
          disabled={entries === undefined || entries.length === 0}
          fileName="activity.csv"
          read={(most) => everyActivity(query, most)}
          toFile={(rows) => toFile(rows, book)}
        />
      }
      description="Your earnings from each settled sweep."
      title="Activity"
    >
      <Card
        description={isFiltered(filter) ? "Those that match the filters, newest first" : "Newest first"}
        flush
        title="Earnings"
      >
        <FilterBar
          book={book}
          filter={filter}
          finds="Sweep id, settlement or transaction hash"
          onChange={(search) => void navigate({ to: "/activity", search, replace: true })}
          status={{
            label: "Status",
            any: "Any status",
            choices: STATUSES.map((status) => [status, STATUS_LABELS[status]] as const)
          }}
          tokens={(earned.data?.lifetime ?? []).map(({ chainId, token }) => ({ chainId, token }))}
        />
        {found.isError ? (
          <ErrorState error={found.error} retry={found.refetch} />
        ) : entries?.length === 0 ? (
          <Nothing isFiltered={isFiltered(filter)} />
        ) : (
          <Rows isLoading={found.isPlaceholderData}>
            <ActivityTable book={book} entries={entries} />
          </Rows>
        )}
        <PageButtons isLoading={found.isPlaceholderData} nextCursor={found.data?.nextCursor} pages={pages} />
      </Card>
    </Page>
  )
}
