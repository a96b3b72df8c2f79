/** Totals of a plan: fees, price impact, gas and time, in dollars. */
import type { ReactNode } from "react"
import { percent } from "../lib/amounts.ts"
import { classes } from "../lib/classes.ts"
import { dollars } from "../lib/usd.ts"
import { duration, type Figures } from "./plan.ts"
import { useSession } from "./session.ts"
import type { PlanState } from "./usePlan.ts"

function Line({ children, label }: { readonly label: ReactNode; readonly children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-4">
      <dt className="min-w-0 truncate text-muted">{label}</dt>
      <dd className="shrink-0 text-right tabular-nums">{children}</dd>
    </div>
  )
}

/** Price impact from which it is shown in red, in basis points. */
const HIGH_IMPACT = 300

const impact = (bps: number): string => (bps <= 0 ? "none" : percent(bps))

const UNKNOWN = "not known"

const value = (usd: string | undefined): string => (usd === undefined ? UNKNOWN : dollars(usd))

function Impact({ bps }: { readonly bps: number | undefined }) {
  if (bps === undefined) return <>{UNKNOWN}</>
  return <span className={classes(bps >= HIGH_IMPACT && "font-medium text-bad")}>{impact(bps)}</span>
}

const NOTHING = "–"

/** A dash while there is no plan, so that nothing moves when it comes. */
const shown = (figures: Figures | undefined, of: (figures: Figures) => ReactNode): ReactNode =>
  figures === undefined ? NOTHING : of(figures)

export function PlanFacts({ state: { isAsking, plan } }: { readonly state: PlanState }) {
  const { builderName } = useSession()
  const figures = plan?.figures
  const hasBuilder = plan?.review?.legs.some(({ fees }) => fees.builderAddress !== undefined) === true
  return (
    <dl
      aria-busy={isAsking}
      className={classes(
        "flex flex-col gap-1.5 border-y border-line py-3",
        isAsking && figures !== undefined && "opacity-60"
      )}
    >
      <Line label="You sweep">{shown(figures, ({ sentUsd }) => value(sentUsd))}</Line>
      <Line label="Service fee">{shown(figures, ({ serviceFeeUsd }) => value(serviceFeeUsd))}</Line>
      <Line label="Network fee">{shown(figures, ({ networkFeeUsd }) => value(networkFeeUsd))}</Line>
      {hasBuilder && (
        <Line label={builderName === undefined ? "Fee of this app" : <bdi>Fee of {builderName}</bdi>}>
          {shown(figures, ({ builderFeeUsd }) => value(builderFeeUsd))}
        </Line>
      )}
      <Line label="Price impact">
        {shown(figures, ({ priceImpactBps }) => (
          <Impact bps={priceImpactBps} />
        ))}
      </Line>
      <Line label="Gas you pay">
        <span className="font-medium text-good">$0</span>
      </Line>
      <Line label="Time">{shown(figures, ({ seconds }) => duration(seconds))}</Line>
    </dl>
  )
}
