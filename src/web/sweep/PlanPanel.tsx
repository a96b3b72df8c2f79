/**
 * The one plan beside the holdings: target, what arrives, fees, what the wallet asks, and the button. On a narrow screen it is a bar at the
 * bottom that opens.
 */
import { lazy, Suspense, useId, useState } from "react"
import { exact, readable } from "../lib/amounts.ts"
import { classes } from "../lib/classes.ts"
import { secondsText } from "../lib/secondsText.ts"
import { dollars } from "../lib/usd.ts"
import { Button } from "../ui/Button.tsx"
import { Icon } from "../ui/Icon.tsx"
import { Skeleton } from "../ui/States.tsx"
import { Banner } from "./Banner.tsx"
import { unitOf } from "./catalog.ts"
import { explain, explainChange } from "./explain.ts"
import { leastOf } from "./plan.ts"
import { PlanFacts } from "./PlanFacts.tsx"
import { Prompts } from "./Prompts.tsx"
import { useSession } from "./session.ts"
import { TargetForm } from "./TargetForm.tsx"
import { MOST_TOKENS, type PlanState } from "./usePlan.ts"
import type { Selection } from "./useSelection.ts"
import { CannotAuthorize } from "./WhoCanSign.tsx"
import { PlanWarnings, warningsOf } from "./PlanWarnings.tsx"

/** Closed at first, so its code comes later. */
const PlanDetails = lazy(() => import("./PlanDetails.tsx").then((module) => ({ default: module.PlanDetails })))

export interface PlanPanelProps {
  readonly selection: Selection
  readonly state: PlanState
  readonly onSweep: () => void
}

/** The next thing that the user must do before a plan can be signed. Undefined if there is none. */
const missing = ({ chosen, destination, isRefused, to }: Selection): string | undefined => {
  if (to === undefined) return "Loading …"
  if (isRefused) return "Choose another token to receive"
  if (chosen.length === 0) return "Select a token"
  const without = chosen.find(({ lacksAmount }) => lacksAmount)
  if (without !== undefined) return `Enter the amount of ${without.token.symbol}`
  return destination === undefined ? "Enter the destination" : undefined
}

const countOf = (count: number): string => (count === 1 ? "1 token" : `${count} tokens`)

/** Fewer digits for larger amounts, so that they fit beside the button of a phone. */
const digitsOf = (amount: bigint, decimals: number): number => {
  const whole = amount / 10n ** BigInt(decimals)
  return whole >= 1_000n ? 2 : whole >= 10n ? 4 : 6
}

/** The least amount, in large, and the expected one. */
function Result({ selection, state: { isAsking, plan } }: Pick<PlanPanelProps, "selection" | "state">) {
  const { catalog } = useSession()
  const figures = plan?.figures
  const unit = selection.to === undefined ? undefined : unitOf(catalog, plan?.wanted.to ?? selection.to)
  return (
    <div aria-busy={isAsking} className="min-w-0" role="group" aria-label="What arrives">
      <p className="text-sm text-muted">You receive at least</p>
      {figures === undefined || unit === undefined ? (
        <p className="h-8 text-2xl font-semibold text-muted">{isAsking ? <Skeleton className="h-6 w-36" /> : "–"}</p>
      ) : (
        <p className={classes("truncate text-xl font-semibold tabular-nums lg:text-2xl", isAsking && "opacity-60")}>
          <span title={`${exact(figures.least, unit.decimals)} ${unit.symbol}`}>
            {readable(figures.least, unit.decimals, digitsOf(figures.least, unit.decimals))}
          </span>{" "}
          <bdi>{unit.symbol}</bdi>
        </p>
      )}
      <p className="h-5 truncate text-sm text-muted tabular-nums">
        {figures !== undefined && unit !== undefined && (
          <>
            {figures.leastUsd === null ? "" : `${dollars(figures.leastUsd)} · `}expected{" "}
            {readable(figures.expected, unit.decimals, digitsOf(figures.expected, unit.decimals))}
          </>
        )}
      </p>
    </div>
  )
}

/** The reason why there is no plan, and what the page does about it. */
function NoPlan({ state }: Pick<PlanPanelProps, "state">) {
  const { failure, isCurrent, plan, quote, repeatMillis } = state
  const isNothing = isCurrent && plan !== undefined && plan.review === undefined
  if (failure === null && !isNothing) return null
  return (
    <Banner
      action={
        <Button busy={quote.isFetching} icon="refresh" onClick={() => void quote.refetch()} small>
          Try again
        </Button>
      }
      tone={failure === null ? "warn" : "bad"}
    >
      {failure === null ? "None of these tokens can be swept right now. Nothing was signed." : explain(failure)}
      {quote.isFetching
        ? " The page asks again now."
        : repeatMillis !== false && ` The page asks again in ${secondsText(repeatMillis / 1_000)}.`}
    </Banner>
  )
}

/** Errors and notices about the plan, above its button. */
function Notices({ selection, state }: Pick<PlanPanelProps, "selection" | "state">) {
  const { account, catalog } = useSession()
  const { changed, error, plan } = state
  const unit = plan === undefined ? undefined : unitOf(catalog, plan.wanted.to)
  const needsDelegation = plan?.review === undefined || plan.review.authorizations.length > 0
  return (
    <>
      {!account.canAuthorize && needsDelegation && <CannotAuthorize />}
      <NoPlan state={state} />
      {error !== null && <Banner tone="bad">{explain(error)}</Banner>}
      {changed !== undefined && plan?.review !== undefined && unit !== undefined && (
        <Banner tone="warn">
          {explainChange(
            changed,
            { least: leastOf(plan.review), hasDelegation: plan.review.authorizations.length > 0 },
            (amount) => `${readable(amount, unit.decimals)} ${unit.symbol}`
          )}
        </Banner>
      )}
      {selection.chosen.length > MOST_TOKENS && (
        <p className="text-sm text-muted">
          One signature covers {MOST_TOKENS} tokens. The plan has those with the highest value. Sweep the other{" "}
          {selection.chosen.length - MOST_TOKENS} after it.
        </p>
      )}
    </>
  )
}

/** The button. It keeps the focus while the wallet is asked. */
function SweepButton({ onSweep, selection, state }: PlanPanelProps) {
  const { account } = useSession()
  const { changed, isAsking, isCurrent, isHeld, plan, repeatMillis, sweep } = state
  const review = plan?.review
  const lack = missing(selection)
  const label =
    lack ??
    (sweep.isPending
      ? account.kind === "wallet"
        ? `Waiting for ${account.name} …`
        : "Sweeping …"
      : isAsking && !isCurrent
        ? "Getting prices …"
        : review === undefined
          ? repeatMillis === false
            ? "Nothing to sweep"
            : "Waiting for prices …"
          : isHeld
            ? "The plan changed …"
            : `Sweep ${countOf(review.legs.length)}${changed !== undefined ? " anyway" : ""}`)
  const canSign = account.canAuthorize || review?.authorizations.length === 0
  const isReady = lack === undefined && isCurrent && !isHeld && review !== undefined && canSign
  return (
    <Button
      aria-disabled={!isReady || sweep.isPending}
      className="h-12 w-full text-lg"
      onClick={() => isReady && !sweep.isPending && onSweep()}
      variant="primary"
    >
      {label}
    </Button>
  )
}

export function PlanPanel(props: PlanPanelProps) {
  const { selection, state } = props
  const { setTo, setTyped, to, typed } = selection
  const { plan } = state
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const warnings = plan?.review === undefined ? 0 : warningsOf(plan.review).size
  return (
    <section
      aria-labelledby={`${id}-title`}
      className="z-20 flex min-w-0 flex-col border-line bg-surface max-lg:sticky max-lg:bottom-0 max-lg:-mx-4 max-lg:max-h-[92dvh] max-lg:rounded-t-lg max-lg:border-t max-lg:shadow-float sm:max-lg:-mx-8 lg:sticky lg:top-5 lg:max-h-[calc(100dvh-11rem)] lg:rounded-lg lg:border lg:shadow-card"
    >
      <h2 className="sr-only" id={`${id}-title`}>
        Your plan
      </h2>
      <div
        className={classes(
          "min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-4 lg:flex lg:p-5",
          isOpen ? "flex" : "hidden"
        )}
        id={`${id}-facts`}
      >
        {to === undefined ? (
          <Skeleton className="h-24 w-full" />
        ) : (
          <TargetForm onTarget={setTo} onTyped={setTyped} problem={selection.problem} to={to} typed={typed} />
        )}
        <div className="hidden lg:block">
          <Result selection={selection} state={state} />
        </div>
        <PlanFacts state={state} />
        {plan?.review !== undefined && <Prompts review={plan.review} wanted={plan.wanted} />}
        {plan !== undefined && (
          <Suspense fallback={<div className="h-15" />}>
            <PlanDetails plan={plan} />
          </Suspense>
        )}
        {plan?.review !== undefined && <PlanWarnings review={plan.review} wanted={plan.wanted} />}
      </div>
      <div className="flex flex-col gap-3 border-line p-4 max-lg:pb-[max(1rem,env(safe-area-inset-bottom))] lg:border-t lg:px-5">
        {/* Small in a phone's bar, which grows over the tokens. */}
        <div className="flex flex-col gap-3 empty:hidden max-lg:text-sm">
          <Notices selection={selection} state={state} />
        </div>
        <div className="flex items-center justify-between gap-3 lg:hidden">
          <Result selection={selection} state={state} />
          <Button
            aria-controls={`${id}-facts`}
            aria-expanded={isOpen}
            className="shrink-0"
            onClick={() => setOpen(!isOpen)}
            small
          >
            {isOpen ? "Close" : warnings === 0 ? "Details" : `Details, ${warnings} to know`}
            <span className={isOpen ? "rotate-90" : "-rotate-90"}>
              <Icon name="chevron" size={13} />
            </span>
          </Button>
        </div>
        <SweepButton {...props} />
        {state.stopWaiting !== undefined && (
          <Button className="self-center" onClick={state.stopWaiting} small variant="quiet">
            Stop waiting
          </Button>
        )}
        <p
          className={classes("text-center text-sm text-muted", !state.sweep.isPending && "max-lg:hidden")}
          role="status"
        >
          {state.sweep.isPending
            ? "Nothing moves until you sign. You can refuse."
            : leastOf(plan?.review) > 0n
              ? "No gas, no approval. Prices renew by themselves."
              : "Nothing is signed yet."}
        </p>
      </div>
    </section>
  )
}
