/** All sweeps attributed to the builder: filtered, searched and paged by the server, and exported as CSV. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { NATIVE } from "../../lib/native.ts"
import { type TokenBook, useTokenBook } from "../../api/tokens.ts"
import { buttonClasses } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { Page } from "../../ui/Page.tsx"
import { EmptyState, ErrorState } from "../../ui/States.tsx"
import { ExportCsv } from "../ExportCsv.tsx"
import { FilterBar } from "../lists/FilterBar.tsx"
import { filterOf, isFiltered, type ListFilter, periodOf } from "../lists/filter.ts"
import { PageButtons, Rows, usePageCursor } from "../lists/ListPage.tsx"
import { everySweep, type SweepFilter, sweeps } from "./queries.ts"
import { sweepsFile } from "./sweepsFile.ts"
import { SweepsTable } from "./SweepsTable.tsx"
import { isStatus, STATUS, STATUSES } from "./words.ts"

const queryOf = (filter: ListFilter): SweepFilter => ({
  ...(isStatus(filter.status) ? { status: filter.status } : {}),
  ...(filter.chain === undefined ? {} : { chainId: filter.chain }),
  ...(filter.token === undefined ? {} : { token: filter.token }),
  ...(filter.q === undefined ? {} : { q: filter.q }),
  ...periodOf(filter)
})

/** Listed tokens. Others are found by a link, or by their sweeps. */
const tokensOf = (book: TokenBook) =>
  book.chains.flatMap(({ id, tokens }) =>
    [NATIVE, ...tokens.map(({ address }) => address)].map((token) => ({ chainId: id, token }))
  )

function Nothing({ isFiltered: filtered }: { readonly isFiltered: boolean }) {
  return filtered ? (
    <EmptyState
      action={
        <Link className={buttonClasses("secondary", false)} to="/sweeps">
          Show all
        </Link>
      }
      icon="sweeps"
      title="Nothing matches"
    >
      Change the filters to see more. The search finds a whole sweep id, transaction hash or owner.
    </EmptyState>
  ) : (
    <EmptyState
      action={
        <Link className={buttonClasses("secondary", false)} to="/quickstart">
          Open the quickstart
        </Link>
      }
      icon="sweeps"
      title="No sweeps yet"
    >
      A sweep that carries your key appears here as soon as its owner has signed and submitted it.
    </EmptyState>
  )
}

export function SweepsPage() {
  const book = useTokenBook()
  const navigate = useNavigate()
  const filter = filterOf(useSearch({ from: "/dashboard/sweeps" }), isStatus)
  const query = queryOf(filter)
  const pages = usePageCursor(JSON.stringify(query))
  const found = useQuery({ ...sweeps(query, pages.cursor), placeholderData: keepPreviousData })
  const rows = found.data?.sweeps
  return (
    <Page
      actions={
        <ExportCsv
          disabled={rows === undefined || rows.length === 0}
          fileName="sweeps.csv"
          read={(most) => everySweep(query, most)}
          toFile={(rows) => sweepsFile(rows, book)}
        />
      }
      description="Every submitted sweep that carries your key."
      title="Sweeps"
    >
      <Card
        description={isFiltered(filter) ? "Those that match the filters, newest first" : "Newest first"}
        flush
        title="All sweeps"
      >
        <FilterBar
          book={book}
          filter={filter}
          finds="Sweep id, transaction hash or owner"
          onChange={(search) => void navigate({ to: "/sweeps", search, replace: true })}
          status={{
            label: "Status",
            any: "Any status",
            choices: STATUSES.map((status) => [status, STATUS[status][0]] as const)
          }}
          tokens={tokensOf(book)}
        />
        {found.isError ? (
          <ErrorState error={found.error} retry={found.refetch} />
        ) : rows?.length === 0 ? (
          <Nothing isFiltered={isFiltered(filter)} />
        ) : (
          <Rows isLoading={found.isPlaceholderData}>
            <SweepsTable book={book} sweeps={rows} />
          </Rows>
        )}
        <PageButtons isLoading={found.isPlaceholderData} nextCursor={found.data?.nextCursor} pages={pages} />
      </Card>
    </Page>
  )
}
