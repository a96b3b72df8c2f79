/** Sweeps and earnings of the last days, and owed amounts. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { lazy, Suspense } from "react"
import { accruals, RECENT_DAYS, recentActivity } from "../api/queries.ts"
import { useTokenBook } from "../api/tokens.ts"
import { percent } from "../lib/amounts.ts"
import { buttonClasses } from "../ui/Button.tsx"
import { Card, Stat, Stats } from "../ui/Card.tsx"
import { Page } from "../ui/Page.tsx"
import { EmptyState, ErrorState, Notice, Skeleton } from "../ui/States.tsx"
import { ActivityTable } from "./ActivityTable.tsx"
import { Balances } from "./Balances.tsx"
import { EarnedByDay } from "./EarnedByDay.tsx"
import { useBuilder } from "./useBuilder.ts"

const LATEST = 5

/** Sweeps have a separate client, so that the first page does not wait for it. */
const performance = () => import("./sweeps/Performance.tsx")
const SweepStats = lazy(async () => ({ default: (await performance()).SweepStats }))
const VolumeCard = lazy(async () => ({ default: (await performance()).VolumeCard }))

const WorthStat = lazy(async () => ({ default: (await import("./Worth.tsx")).WorthStat }))

/** Placeholder of the same size as the content, so that the layout does not shift. */
const LOADING = (
  <>
    {[`Sweeps, ${RECENT_DAYS} days`, "Success rate"].map((label) => (
      <Stat key={label} label={label} value={<Skeleton className="h-6 w-16" />} />
    ))}
  </>
)

export function Overview() {
  const builder = useBuilder()
  const book = useTokenBook()
  const recent = useQuery(recentActivity)
  const totals = useQuery(accruals)
  const entries = recent.data?.entries
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
      <Stats>
        <Suspense fallback={LOADING}>
          <SweepStats />
        </Suspense>
        <Suspense fallback={<Stat label="Owed to you" value={<Skeleton className="h-6 w-20" />} />}>
          <WorthStat
            all="paid in batches"
            balances={totals.data?.balances}
            book={book}
            label="Owed to you"
            none="everything is paid out"
          />
        </Suspense>
        <Stat
          label="Your markup"
          note={`capped at ${percent(builder.maxBuilderBps)}`}
          value={percent(builder.builderBps)}
        />
      </Stats>
      <EarnedByDay book={book} recent={recent} />
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
        {recent.isError ? (
          <ErrorState error={recent.error} retry={recent.refetch} />
        ) : entries?.length === 0 ? (
          <EmptyState
            action={
              <Link className={buttonClasses("secondary", false)} to="/quickstart">
                Open the quickstart
              </Link>
            }
            icon="activity"
            title="No sweeps in this time"
          >
            A sweep that carries your key appears here once it has settled.
          </EmptyState>
        ) : (
          <ActivityTable book={book} entries={entries?.slice(0, LATEST)} placeholders={LATEST} />
        )}
      </Card>
    </Page>
  )
}
