/** Earned, paid and owed dollars of a period, with the days, tokens and chains that they come from. */
import { useQuery } from "@tanstack/react-query"
import { type ReactNode, useEffect, useState } from "react"
import type { EarningsView } from "../../../domain/Earnings.ts"
import { type PriceOf, usePriceOf } from "../../api/prices.ts"
import type { TokenBook } from "../../api/tokens.ts"
import { DEFAULT_PERIOD, periodOf, PERIODS } from "../../lib/periods.ts"
import { shorten } from "../../lib/shorten.ts"
import { dollars } from "../../lib/usd.ts"
import { BarChart } from "../../ui/BarChart.tsx"
import { Card } from "../../ui/Card.tsx"
import { Select } from "../../ui/Field.tsx"
import { EmptyState, ErrorState, Skeleton } from "../../ui/States.tsx"
import { Tabs } from "../../ui/Tabs.tsx"
import { Rows } from "../lists/ListPage.tsx"
import { Breakdown } from "./Breakdown.tsx"
import { money } from "./query.ts"
import { sumOf, type TokenLine, type Worth, worthOf } from "./worth.ts"

const NO_PRICE: PriceOf = () => undefined

/** Names at most three tokens. */
const namesOf = (lines: ReadonlyArray<TokenLine>, book: TokenBook): string => {
  const names = [...new Set(lines.map(({ chainId, token }) => book.token(chainId, token)?.symbol ?? shorten(token)))]
  return names.length > 3 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ")
}

function Figure({
  book,
  isLoading,
  label,
  note,
  worth,
  testId
}: {
  readonly label: string
  readonly note: string
  readonly worth: Worth
  readonly book: TokenBook
  readonly isLoading: boolean
  readonly testId: string
}) {
  const isUnknown = worth.usd === "0" && worth.unpriced.length > 0
  return (
    <div className="min-w-0">
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="mt-1 text-2xl font-semibold tracking-tight tabular-nums sm:text-3xl" data-testid={testId}>
        {isLoading ? <Skeleton className="h-8 w-24" /> : isUnknown ? "Unknown" : dollars(worth.usd)}
      </dd>
      <dd className="mt-1 text-sm text-muted">
        {note}
        {worth.atPresent !== "0" && `, ${dollars(worth.atPresent)} of it at today's`}
        {!isLoading && worth.unpriced.length > 0 && (
          <span className="block text-warn">
            {isUnknown ? "No known price: " : "Not counted, without a known price: "}
            {namesOf(worth.unpriced, book)}
          </span>
        )}
      </dd>
    </div>
  )
}

function Days({ view }: { readonly view: EarningsView }) {
  const bars = view.byDay.map(({ day, earnedUsd }) => ({ day, value: scaledOf(earnedUsd) }))
  return (
    <div className="p-4 sm:p-5">
      <BarChart
        bars={bars}
        format={(value) => dollars(textOf(value))}
        title="Earned by day, at the prices of the settlements"
      />
    </div>
  )
}

/** Bars are drawn in millionths of a dollar. */
const MICRO = 6

const scaledOf = (usd: string): bigint => {
  const [whole = "0", fraction = ""] = usd.replace("-", "").split(".")
  return usd.startsWith("-") ? 0n : BigInt(whole + fraction.slice(0, MICRO).padEnd(MICRO, "0"))
}

const textOf = (value: bigint): string => {
  const digits = value.toString().padStart(MICRO + 1, "0")
  return `${digits.slice(0, -MICRO)}.${digits.slice(-MICRO)}`
}

function Content({
  book,
  prices,
  view
}: {
  readonly book: TokenBook
  readonly view: EarningsView
  /** Undefined while they are loaded. */
  readonly prices: PriceOf | undefined
}): ReactNode {
  const priceOf = prices ?? NO_PRICE
  const worths = sumOf(view.tokens.map((line) => worthOf(line, book, priceOf)))
  const isPriced = prices !== undefined
  const needsPrices = view.tokens.some(
    ({ earnedUnpriced, paidUnpriced }) => earnedUnpriced !== 0n || paidUnpriced !== 0n
  )
  const figure = { book, isLoading: !isPriced && needsPrices }
  const sweeps = view.tokens.reduce((sum, line) => sum + line.sweeps, 0)
  return (
    <>
      <dl className="grid grid-cols-1 gap-5 border-b border-line p-4 sm:grid-cols-3 sm:p-5">
        <Figure
          {...figure}
          label="Earned"
          note={`${sweeps.toLocaleString()} ${sweeps === 1 ? "sweep" : "sweeps"}, at the prices when they settled`}
          testId="earned"
          worth={worths.earned}
        />
        <Figure {...figure} label="Paid" note="at the prices when it was earned" testId="paid" worth={worths.paid} />
        <Figure
          book={book}
          isLoading={!isPriced}
          label="Owed to you now"
          note="at today's prices, paid in batches"
          testId="owed"
          worth={worths.owed}
        />
      </dl>
      {view.tokens.length === 0 ? (
        <EmptyState icon="chart" title="Nothing earned in this time">
          Your markup of each settled sweep is counted here. Choose a longer period to see more.
        </EmptyState>
      ) : (
        <Tabs
          label="Breakdown of earnings"
          tabs={[
            { name: "By day", content: <Days view={view} /> },
            { name: "By token", content: <Breakdown book={book} by="token" priceOf={priceOf} view={view} /> },
            { name: "By chain", content: <Breakdown book={book} by="chain" priceOf={priceOf} view={view} /> }
          ]}
        />
      )}
    </>
  )
}

/** Prices come with the sums most of the time. Notes about them would move what is below, so the sums wait for them, but not for long. */
const PRICES_MILLIS = 1_500

/** True once the prices are late. */
const useIsLate = (): boolean => {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PRICES_MILLIS)
    return () => clearTimeout(timer)
  }, [])
  return isLate
}

export function MoneyCard({ book }: { readonly book: TokenBook }) {
  const [days, setDays] = useState(DEFAULT_PERIOD)
  const found = useQuery(money(days))
  const prices = usePriceOf()
  const isLate = useIsLate()
  return (
    <Card
      actions={
        <Select hideLabel label="Period" onChange={({ target: { value } }) => setDays(periodOf(value))} value={days}>
          {PERIODS.map((period) => (
            <option key={period} value={period}>
              Last {period} days
            </option>
          ))}
        </Select>
      }
      description="In US dollars. Days are in UTC"
      flush
      title="Your money"
    >
      {found.isError ? (
        <ErrorState error={found.error} retry={found.refetch} />
      ) : found.data === undefined || (prices === undefined && !isLate) ? (
        <div className="p-5">
          <Skeleton className="h-96 w-full" />
        </div>
      ) : (
        <Rows isLoading={found.isPlaceholderData}>
          <Content book={book} prices={prices} view={found.data} />
        </Rows>
      )}
    </Card>
  )
}
