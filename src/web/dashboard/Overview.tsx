/** Dollars first: earned, paid and owed. Then the sweeps, the balances of each token, and the newest earnings. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { lazy, Suspense } from "react"
import { accruals, latestActivity, RECENT_DAYS } from "../api/queries.ts"
import { useTokenBook } from "../api/tokens.ts"
import { percent } from "../lib/amounts.ts"
import { buttonClasses } from "../ui/Button.tsx"
import { Card, Stat, Stats } from "../ui/Card.tsx"
import { Page } from "../ui/Page.tsx"
import { EmptyState, ErrorState, Notice, Skeleton } from "../ui/States.tsx"
import { ActivityTable } from "./ActivityTable.tsx"
import { Balances } from "./Balances.tsx"
import { useBuilder } from "./useBuilder.ts"

const LATEST = 5

const money = import("./money/MoneyCard.tsx")
const performance = import("./sweeps/Performance.tsx")

/** Prices and sweeps have scripts of their own, so that the first page does not wait for them. */
const MoneyCard = lazy(async () => ({ default: (await money).MoneyCard }))
const SweepStats = lazy(async () => ({ default: (await performance).SweepStats }))
const VolumeCard = lazy(async () => ({ default: (await performance).VolumeCard }))

/** Placeholder of the same size as the content, so that the layout does not shift. */
const LOADING = (
  <>
    {[`Sweeps, ${RECENT_DAYS} days`, "Success rate"].map((label) => (
      <Stat key={label} label={label} value={<Skeleton className="h-6 w-16" />} />
    ))}
  </>
)

const LOADING_MONEY = (
  <Card flush title="Your money">
    <div className="p-5">
      <Skeleton className="h-96 w-full" />
    </div>
  </Card>
)

export function Overview() {
  const builder = useBuilder()
  const book = useTokenBook()
  const latest = useQuery(latestActivity(LATEST))
  const totals = useQuery(accruals)
  const entries = latest.data?.entries
  return (
    <Page
      actions={
        <Link className={buttonClasses("primary", false)} to="/quickstart">
          Integrate
        </Link>
      }
      description={`Welcome back, ${builder.name}.`}
      title="Overview"
    >
      {builder.builderBps === 0 && (
        <Notice>
          <span className="font-medium">Your markup is 0%.</span>{" "}
          <span className="text-muted">
            Sweeps with your key work and earn nothing yet. The operator sets your markup; tell them what you need.
          </span>
        </Notice>
      )}
      <Suspense fallback={LOADING_MONEY}>
        <MoneyCard book={book} />
      </Suspense>
      <Stats>
        <Suspense fallback={LOADING}>
          <SweepStats />
        </Suspense>
        <Stat
          label="Your markup"
          note={`capped at ${percent(builder.maxBuilderBps)}`}
          value={percent(builder.builderBps)}
        />
      </Stats>
      <Balances book={book} totals={totals} />
      <Suspense fallback={<Skeleton className="h-64 w-full" />}>
        <VolumeCard />
      </Suspense>
      <Card
        actions={
          <Link className={buttonClasses("secondary", true)} to="/activity">
            View all
          </Link>
        }
        flush
        title="Latest activity"
      >
        {latest.isError ? (
          <ErrorState error={latest.error} retry={latest.refetch} />
        ) : entries?.length === 0 ? (
          <EmptyState
            action={
              <Link className={buttonClasses("secondary", false)} to="/quickstart">
                Open the quickstart
              </Link>
            }
            icon="activity"
            title="No sweeps yet"
          >
            A sweep that carries your key appears here once it has settled.
          </EmptyState>
        ) : (
          <ActivityTable book={book} entries={entries} placeholders={LATEST} />
        )}
      </Card>
    </Page>
  )
}
