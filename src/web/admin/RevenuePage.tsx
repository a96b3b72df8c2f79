/** Revenue of the protocol by day, and balances of the treasury compared with owed amounts. */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { RevenueView } from "../../api/builder/Schemas.ts"
import { type TokenBook, useTokenBook } from "../api/tokens.ts"
import { readable } from "../lib/amounts.ts"
import { shorten } from "../lib/shorten.ts"
import { lastDays } from "../lib/time.ts"
import { Amount } from "../ui/Amount.tsx"
import { Badge } from "../ui/Badge.tsx"
import { BarChart } from "../ui/BarChart.tsx"
import { Card } from "../ui/Card.tsx"
import { Select } from "../ui/Field.tsx"
import { Page } from "../ui/Page.tsx"
import { EmptyState, ErrorState, Skeleton } from "../ui/States.tsx"
import { Table } from "../ui/Table.tsx"
import { tokenKey } from "../lib/tokenKey.ts"
import { positionColumns } from "./positions.tsx"
import { revenue, treasury } from "./queries.ts"

const DAYS = 30

type Day = (typeof RevenueView.Type)["days"][number]

function RevenueChart({ book, days }: { readonly book: TokenBook; readonly days: ReadonlyArray<Day> }) {
  const [chosen, setChosen] = useState<string>()
  const drawn = lastDays(DAYS, Date.now())
  // The service returns one day more, and a page that stays open past midnight has old days.
  const counted = days.filter(({ day }) => drawn.includes(day))
  const groups = Array.from(Map.groupBy(counted, ({ chainId, token }) => tokenKey(chainId, token))).toSorted(
    ([, one], [, other]) => other.length - one.length
  )
  const [key, group] = groups.find(([each]) => each === chosen) ?? groups[0] ?? []
  const [first] = group ?? []
  if (group === undefined || first === undefined) {
    return (
      <EmptyState icon="chart" title="No revenue yet">
        The protocol fee of each settled sweep is counted here.
      </EmptyState>
    )
  }
  const token = book.token(first.chainId, first.token)
  const amounts = new Map(group.map(({ amount, day }) => [day, amount]))
  const name = (each: Day) =>
    `${book.token(each.chainId, each.token)?.symbol ?? shorten(each.token)} on ${book.chainName(each.chainId)}`
  const sweeps = group.reduce((sum, each) => sum + each.sweeps, 0)
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <p>
          <span className="block text-2xl sm:text-3xl font-semibold tracking-tight">
            <Amount token={token} value={group.reduce((sum, { amount }) => sum + amount, 0n)} />
          </span>
          <span className="text-sm text-muted">
            from {sweeps.toLocaleString()} {sweeps === 1 ? "sweep" : "sweeps"}
          </span>
        </p>
        <div className="w-48 max-w-full">
          <Select hideLabel label="Token" onChange={(event) => setChosen(event.target.value)} value={key}>
            {groups.map(([each, [one]]) => (
              <option key={each} value={each}>
                {one === undefined ? each : name(one)}
              </option>
            ))}
          </Select>
        </div>
      </div>
      <BarChart
        bars={drawn.map((day) => ({ day, value: amounts.get(day) ?? 0n }))}
        format={(value) => `${readable(value, token?.decimals ?? 0)} ${token?.symbol ?? "units"}`}
        title={`Revenue by day, ${name(first)}`}
      />
    </div>
  )
}

function Treasury({ book }: { readonly book: TokenBook }) {
  const found = useQuery(treasury)
  const positions = found.data?.positions
  return (
    <Card description="Builders' earnings, and the vault's coverage of owed amounts" flush title="Treasury">
      {found.isError ? (
        <ErrorState error={found.error} retry={found.refetch} />
      ) : positions?.length === 0 ? (
        <EmptyState icon="wallet" title="No earnings yet" />
      ) : (
        <Table
          caption="Treasury positions"
          columns={[
            ...positionColumns(book),
            {
              title: "In the vault",
              align: "right",
              cell: ({ chainId, token, vaultBalance }) =>
                vaultBalance === undefined ? (
                  <span className="text-muted">unknown</span>
                ) : (
                  <Amount symbol={false} token={book.token(chainId, token)} value={vaultBalance} />
                )
            },
            {
              title: "Cover",
              cell: ({ owed, vaultBalance }) =>
                vaultBalance === undefined ? (
                  <Badge>Unknown</Badge>
                ) : vaultBalance >= owed ? (
                  <Badge tone="good">Covered</Badge>
                ) : (
                  <Badge tone="bad">Short</Badge>
                )
            }
          ]}
          placeholders={3}
          rowKey={({ chainId, token }) => tokenKey(chainId, token)}
          rows={positions}
        />
      )}
    </Card>
  )
}

export function RevenuePage() {
  const book = useTokenBook()
  const found = useQuery(revenue)
  return (
    <Page description="Earnings of the protocol, and balances held for builders." title="Revenue and treasury">
      <Card description={`Last ${DAYS} days, in UTC`} title="Revenue by day">
        <div className="grid min-h-72 content-center">
          {found.isError ? (
            <ErrorState error={found.error} retry={found.refetch} />
          ) : found.data === undefined ? (
            <Skeleton className="h-72 w-full" />
          ) : (
            <RevenueChart book={book} days={found.data.days} />
          )}
        </div>
      </Card>
      <Treasury book={book} />
      <p className="text-sm text-muted">
        Claimed: by open payout batches. No chain: reported without one, and paid by no batch until{" "}
        <code>sweep payouts assign</code> gives it one.
      </p>
    </Page>
  )
}
