/** Page about earnings: fees less gas less failures in US dollars, and how long the lanes can pay for gas. */
import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import type { Health } from "../../domain/Health.ts"
import type { MoneyView, Period } from "../../domain/Money.ts"
import { NATIVE } from "../lib/native.ts"
import { periodOf, PERIODS } from "../lib/periods.ts"
import { type TokenBook, useTokenBook } from "../api/tokens.ts"
import * as explorer from "../lib/explorer.ts"
import { download } from "../lib/csv.ts"
import { dollars } from "../lib/usd.ts"
import { Address } from "../ui/Address.tsx"
import { Amount } from "../ui/Amount.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Select } from "../ui/Field.tsx"
import { Page } from "../ui/Page.tsx"
import { EmptyState, ErrorState, Skeleton } from "../ui/States.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { moneyFile } from "./moneyFile.ts"
import { missingSettings, NotConfigured } from "./NotConfigured.tsx"
import { money, operationsHealth } from "./queries.ts"
import { runwayHours } from "./runway.ts"
import { TreasurySummary } from "./TreasurySummary.tsx"

type Line = MoneyView["total"]

/** Hours below which a lane should be funded. */
const SHORT_HOURS = 24

const TIERS = { tier1: "Tier 1", tier2: "Tier 2", tier3: "Tier 3" } as const

/** Gas in dollars. Gas without a price is not 0 dollars. */
function Cost({ line: { isGasPriced }, usd }: { readonly line: Line; readonly usd: string }) {
  if (isGasPriced) return <>{dollars(usd)}</>
  return usd === "0" ? <span className="text-muted">no price</span> : <>{dollars(usd)}+</>
}

function Fees({ line: { feesUsd, sweeps, unpricedSweeps } }: { readonly line: Line }) {
  if (unpricedSweeps === 0) return <>{dollars(feesUsd)}</>
  const note = `${unpricedSweeps.toLocaleString()} unpriced`
  return unpricedSweeps === sweeps ? (
    <span className="text-muted">{note}</span>
  ) : (
    <>
      {dollars(feesUsd)} <span className="block text-xs text-muted">{note}</span>
    </>
  )
}

/** On a phone, the costs stand under the sum. */
function Net({ line }: { readonly line: Line }) {
  return (
    <>
      <span className="font-medium">{dollars(line.netUsd)}</span>
      <span className="block text-xs text-muted md:hidden">
        gas <Cost line={line} usd={line.gasUsd} />
      </span>
      <span className="block text-xs text-muted md:hidden">
        failures <Cost line={line} usd={line.failuresUsd} />
      </span>
    </>
  )
}

const lineColumns = <Row extends Line>(title: string, name: (row: Row) => ReactNode): ReadonlyArray<Column<Row>> => [
  { title, cell: name },
  { title: "Sweeps", align: "right", cell: ({ sweeps }) => sweeps.toLocaleString(), wideOnly: true },
  { title: "Failed", align: "right", cell: ({ failed }) => failed.toLocaleString(), wideOnly: true },
  { title: "Fees", align: "right", cell: (line) => <Fees line={line} /> },
  { title: "Gas", align: "right", cell: (line) => <Cost line={line} usd={line.gasUsd} />, wideOnly: true },
  { title: "Failures", align: "right", cell: (line) => <Cost line={line} usd={line.failuresUsd} />, wideOnly: true },
  { title: "Net", align: "right", cell: (line) => <Net line={line} /> }
]

function Headline({ view: { days, total } }: { readonly view: MoneyView }) {
  const missing = [
    ...(total.unpricedSweeps === 0
      ? []
      : [`the fees of ${total.unpricedSweeps === 1 ? "1 sweep" : `${total.unpricedSweeps.toLocaleString()} sweeps`}`]),
    ...(total.isGasPriced ? [] : ["some gas"])
  ]
  const parts = [
    ["Fees", total.feesUsd],
    ["Gas", total.gasUsd],
    ["Failures", total.failuresUsd]
  ] as const
  return (
    <Card description={`${days} days, in UTC`} title="Earned">
      <p className="text-3xl font-semibold tracking-tight tabular-nums" data-testid="net">
        {dollars(total.netUsd)}
      </p>
      <dl className="mt-4 grid grid-cols-3 gap-3">
        {parts.map(([label, usd], index) => (
          <div key={label}>
            <dt className="text-sm text-muted">{label}</dt>
            <dd className="font-medium tabular-nums">
              {index === 0 ? "" : "− "}
              {dollars(usd)}
            </dd>
          </div>
        ))}
      </dl>
      <p className="mt-4 text-sm text-muted">
        From {total.sweeps.toLocaleString()} settled and {total.failed.toLocaleString()} failed sweeps.
        {missing.length > 0 && ` Without ${missing.join(" and ")}, which had no price.`}
      </p>
    </Card>
  )
}

function Runway({ book, health }: { readonly book: TokenBook; readonly health: Health }) {
  return (
    <Card description="Hours of gas at the rate of the last day" flush title="Lanes">
      <Table
        caption="Runway of lanes"
        columns={[
          { title: "Chain", cell: ({ chainId }) => book.chainName(chainId) },
          {
            title: "Lane",
            cell: ({ address, chainId }) => (
              <Address href={explorer.account(book.chain(chainId), address)} label="lane" value={address} />
            )
          },
          {
            title: "Runway",
            align: "right",
            cell: (lane) => {
              const hours = runwayHours(health, lane)
              if (hours === undefined) {
                const isUsed = (lane.state ?? "active") === "active"
                return <span className="text-muted">{isUsed ? "unknown" : lane.state}</span>
              }
              const text = hours > 9_999 ? "> 9,999 h" : `${hours.toLocaleString()} h`
              return hours < SHORT_HOURS ? <Badge tone="bad">{text}</Badge> : text
            }
          },
          {
            title: "Balance",
            align: "right",
            cell: ({ balance, chainId }) =>
              balance === null ? "–" : <Amount token={book.token(chainId, NATIVE)} value={balance} />,
            wideOnly: true
          }
        ]}
        rowKey={({ address, chainId }) => `${chainId}:${address}`}
        rows={health.lanes}
      />
    </Card>
  )
}

function Groups({ book, view }: { readonly book: TokenBook; readonly view: MoneyView }) {
  const none = <span className="text-muted">none</span>
  return (
    <>
      <Card flush title="By chain">
        <Table
          caption="Earnings by chain"
          columns={lineColumns<MoneyView["chains"][number]>("Chain", ({ chainId }) => book.chainName(chainId))}
          rowKey={({ chainId }) => String(chainId)}
          rows={view.chains}
        />
      </Card>
      <Card flush title="By builder">
        <Table
          caption="Earnings by builder"
          columns={lineColumns<MoneyView["builders"][number]>("Builder", ({ builderId }) =>
            builderId === undefined ? (
              none
            ) : (
              <Link
                className="font-medium text-accent hover:underline"
                params={{ id: builderId }}
                to="/admin/builders/$id"
              >
                {builderId}
              </Link>
            )
          )}
          rowKey={({ builderId }) => builderId ?? ""}
          rows={view.builders}
        />
      </Card>
      <Card flush title="By token tier">
        <Table
          caption="Earnings by token tier"
          columns={lineColumns<MoneyView["tiers"][number]>("Tier", ({ tier }) =>
            tier === undefined ? none : TIERS[tier]
          )}
          rowKey={({ tier }) => tier ?? ""}
          rows={view.tiers}
        />
      </Card>
      <p className="text-sm text-muted">
        Fees count at the price of their settlement. Failures: gas of sweeps that did not settle, and of transactions
        that only used up a nonce. None: costs that no sweep bears, and sweeps without a builder or a stored tier.
      </p>
    </>
  )
}

const usePeriod = (): Period => {
  const { days } = useSearch({ from: "/admin/money" })
  return periodOf(days)
}

export function MoneyPage() {
  const book = useTokenBook()
  const days = usePeriod()
  const navigate = useNavigate()
  const found = useQuery(money(days))
  const health = useQuery(operationsHealth)
  const view = found.data
  const missing = missingSettings(found.error)
  const save = () => {
    if (view === undefined) return
    download(
      `money-${view.days}-days.csv`,
      "text/csv",
      moneyFile(view, (chainId) => book.chainName(chainId))
    )
  }
  return (
    <Page
      actions={
        <>
          <Select
            hideLabel
            label="Period"
            onChange={({ target: { value } }) =>
              void navigate({ to: "/admin/money", search: { days: Number(value) }, replace: true })
            }
            value={days}
          >
            {PERIODS.map((period) => (
              <option key={period} value={period}>
                Last {period} days
              </option>
            ))}
          </Select>
          <Button disabled={view === undefined} icon="download" onClick={save}>
            Export CSV
          </Button>
        </>
      }
      description="Fees, less gas, less failures, in US dollars."
      title="Money"
    >
      {missing !== undefined ? (
        <NotConfigured missing={missing} />
      ) : found.isError ? (
        <Card>
          <ErrorState error={found.error} retry={found.refetch} />
        </Card>
      ) : view === undefined ? (
        <Skeleton className="h-64 w-full" />
      ) : (
        <>
          <div className="grid grid-cols-1 items-start gap-5 xl:grid-cols-2">
            <Headline view={view} />
            {health.data !== undefined ? (
              <Runway book={book} health={health.data} />
            ) : (
              !health.isError && <Skeleton className="h-72 w-full" />
            )}
          </div>
          <TreasurySummary book={book} />
          {view.chains.length === 0 ? (
            <Card>
              <EmptyState icon="chart" title="Nothing in this time">
                Fees and gas of sweeps are counted here once they are settled.
              </EmptyState>
            </Card>
          ) : (
            <Groups book={book} view={view} />
          )}
        </>
      )}
    </Page>
  )
}
