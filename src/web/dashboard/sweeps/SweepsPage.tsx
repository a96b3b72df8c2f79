/** All sweeps attributed to the builder, with filters in the page's url and a CSV export. */
import { useInfiniteQuery } from "@tanstack/react-query"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { type TokenBook, useTokenBook } from "../../api/tokens.ts"
import { buttonClasses } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { Select } from "../../ui/Field.tsx"
import { LoadMore } from "../../ui/LoadMore.tsx"
import { Page } from "../../ui/Page.tsx"
import { EmptyState, ErrorState } from "../../ui/States.tsx"
import { ExportCsv } from "../ExportCsv.tsx"
import { everySweep, type SweepFilter, sweeps } from "./queries.ts"
import { sweepsFile } from "./sweepsFile.ts"
import { SweepsTable } from "./SweepsTable.tsx"
import { isStatus, STATUS, STATUSES } from "./words.ts"

const ALL = ""

const useFilter = (): SweepFilter => {
  const { chain, status } = useSearch({ from: "/dashboard/sweeps" })
  return {
    ...(isStatus(status) ? { status } : {}),
    ...(typeof chain === "number" && Number.isSafeInteger(chain) && chain > 0 ? { chainId: chain } : {})
  }
}

function FilterBar({ book, filter }: { readonly book: TokenBook; readonly filter: SweepFilter }) {
  const navigate = useNavigate()
  const apply = ({ chainId, status }: SweepFilter) =>
    navigate({
      to: "/sweeps",
      search: { ...(status === undefined ? {} : { status }), ...(chainId === undefined ? {} : { chain: chainId }) },
      replace: true
    })
  return (
    <div className="grid w-full gap-2 sm:w-auto sm:grid-cols-[10rem_10rem]">
      <Select
        hideLabel
        label="Status"
        onChange={({ target: { value } }) => {
          const { status: _, ...rest } = filter
          void apply(isStatus(value) ? { ...rest, status: value } : rest)
        }}
        value={filter.status ?? ALL}
      >
        <option value={ALL}>Any status</option>
        {STATUSES.map((status) => (
          <option key={status} value={status}>
            {STATUS[status][0]}
          </option>
        ))}
      </Select>
      <Select
        hideLabel
        label="Chain"
        onChange={({ target: { value } }) => {
          const { chainId: _, ...rest } = filter
          void apply(value === ALL ? rest : { ...rest, chainId: Number(value) })
        }}
        value={filter.chainId ?? ALL}
      >
        <option value={ALL}>All chains</option>
        {book.chains.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
    </div>
  )
}

export function SweepsPage() {
  const book = useTokenBook()
  const filter = useFilter()
  const isFiltered = Object.keys(filter).length > 0
  const pages = useInfiniteQuery(sweeps(filter))
  const loaded = pages.data?.pages.flatMap((page) => page.sweeps)
  const file = async (most: number) => sweepsFile(await everySweep(filter, most), book)
  return (
    <Page
      actions={<ExportCsv disabled={loaded === undefined || loaded.length === 0} fileName="sweeps.csv" make={file} />}
      description="Every submitted sweep that carries your key."
      title="Sweeps"
    >
      <Card
        actions={<FilterBar book={book} filter={filter} />}
        description={
          loaded === undefined
            ? "Loading …"
            : `${loaded.length}${pages.hasNextPage ? "+" : ""} ${loaded.length === 1 ? "sweep" : "sweeps"}`
        }
        flush
        title={isFiltered ? "Filtered" : "All"}
      >
        {pages.isError ? (
          <ErrorState error={pages.error} retry={pages.refetch} />
        ) : loaded?.length !== 0 ? (
          <SweepsTable book={book} sweeps={loaded} />
        ) : isFiltered ? (
          <EmptyState
            action={
              <Link className={buttonClasses("secondary", false)} to="/sweeps">
                Show all
              </Link>
            }
            icon="sweeps"
            title="Nothing matches"
          >
            Change the filters to see more.
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
        )}
        <LoadMore pages={pages} />
      </Card>
    </Page>
  )
}
