/** The page of a connected account: sweeps under way, holdings, the plan, earlier sweeps and delegations. */
import { lazy, type Ref, Suspense, useEffect, useMemo, useRef } from "react"
import { useLastError } from "../api/askAgain.ts"
import { dollars } from "../lib/usd.ts"
import { Button } from "../ui/Button.tsx"
import { Skeleton } from "../ui/States.tsx"
import { Trouble } from "./Banner.tsx"
import { Holdings, HoldingsSkeleton } from "./Holdings.tsx"
import { LookFor } from "./LookFor.tsx"
import type { Wanted } from "./plan.ts"
import { PlanPanel } from "./PlanPanel.tsx"
import { useSession } from "./session.ts"
import { Sweeps } from "./Sweeps.tsx"
import { MOST_TOKENS, type Outcome, usePlan } from "./usePlan.ts"
import type { Selection } from "./useSelection.ts"

/** Below the first screen, so its code comes later. */
const Delegations = lazy(() => import("./Delegations.tsx").then((module) => ({ default: module.Delegations })))

const History = lazy(() => import("./History.tsx").then((module) => ({ default: module.History })))

/** Names the chains whose tokens are missing from the list. */
function UnavailableChains({ found, refresh }: Pick<Selection, "found" | "refresh">) {
  const { catalog } = useSession()
  const ids = found.data?.unavailableChains ?? []
  if (ids.length === 0) return null
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b border-line px-4 py-2.5 text-sm text-muted sm:px-5">
      <p className="flex-1 basis-56" role="status">
        Tokens on {ids.map(catalog.chainName).join(", ")} are missing, because no node answered. They are shown as soon
        as one does.
      </p>
      <Button busy={found.isFetching} onClick={refresh} small>
        Try again
      </Button>
    </div>
  )
}

function Tokens({ heading, selection }: { readonly selection: Selection; readonly heading: Ref<HTMLHeadingElement> }) {
  const { found } = selection
  const trouble = useLastError(found)
  return (
    <section className="min-w-0 rounded-lg border border-line bg-surface shadow-card">
      <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b border-line px-4 py-3 sm:px-5">
        <div className="min-w-0">
          <h2 className="rounded-sm text-lg font-semibold outline-none" ref={heading} tabIndex={-1}>
            Your tokens
          </h2>
          <p className="text-sm text-muted">
            {found.data === undefined ? (
              <Skeleton className="h-4 w-24" />
            ) : (
              `${dollars(found.data.totalUsd)} on ${found.data.unavailableChains === undefined ? "all chains" : "the chains that answered"}`
            )}
          </p>
        </div>
        <Button
          aria-label="Refresh your tokens"
          busy={found.isFetching && found.data !== undefined}
          icon="refresh"
          onClick={selection.refresh}
          small
          variant="quiet"
        >
          Refresh
        </Button>
      </header>
      {trouble !== null ? (
        <Trouble busy={found.isFetching} error={trouble} retry={found.refetch} />
      ) : found.data === undefined ? (
        <HoldingsSkeleton />
      ) : (
        <>
          <UnavailableChains found={found} refresh={selection.refresh} />
          <Holdings areAllKnown={found.data.unavailableChains === undefined} selection={selection} />
          <LookFor selection={selection} />
        </>
      )}
    </section>
  )
}

/** The request for a plan of the selection. Undefined while something is missing. */
const useWanted = ({ chosen, destination, isRefused, to }: Selection): Wanted | undefined =>
  useMemo(
    () =>
      to === undefined ||
      isRefused ||
      destination === undefined ||
      chosen.length === 0 ||
      chosen.some(({ lacksAmount }) => lacksAmount)
        ? undefined
        : { to, destination, tokens: chosen.slice(0, MOST_TOKENS) },
    [chosen, destination, isRefused, to]
  )

export function Desk({ selection }: { readonly selection: Selection }) {
  const state = usePlan({ wanted: useWanted(selection), deeds: selection.deeds })
  const tokens = useRef<HTMLHeadingElement>(null)
  const sweeps = useRef<HTMLHeadingElement>(null)
  const { keepTarget, pickRest } = selection
  const target = state.plan?.review === undefined ? undefined : state.plan.wanted.to
  useEffect(() => {
    if (target !== undefined) keepTarget(target)
  }, [keepTarget, target])
  const forget = (outcome: Outcome) => {
    if (outcome.kind === "submitted") selection.forget(outcome.swept)
  }
  const outcome = state.sweep.data
  useEffect(() => {
    if (outcome?.kind === "submitted") sweeps.current?.focus()
  }, [outcome])
  // The element that had the focus before the account was connected is gone.
  useEffect(() => {
    if (document.activeElement === document.body) tokens.current?.focus({ preventScroll: true })
  }, [])
  return (
    <div className="flex flex-col gap-5">
      <Sweeps
        heading={sweeps}
        onRest={(rest) => {
          pickRest(rest)
          tokens.current?.focus()
        }}
        shown="recent"
      />
      <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,1fr)_23rem]">
        <Tokens heading={tokens} selection={selection} />
        <PlanPanel
          onSweep={() => {
            if (state.plan !== undefined) state.sweep.mutate(state.plan, { onSuccess: forget })
          }}
          selection={selection}
          state={state}
        />
      </div>
      <Sweeps shown="earlier" />
      <Suspense>
        <History />
      </Suspense>
      <Suspense>
        <Delegations />
      </Suspense>
    </div>
  )
}
