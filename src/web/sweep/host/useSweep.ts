/** Hook of a sweep of a wallet, for a page that draws it by itself. */
import { useEffect, useMemo, useSyncExternalStore } from "react"
import type { BatchReview, SweepClient } from "../../../sdk/index.ts"
import { makeSweepStore, type SweepStart, type SweepState } from "./sweepStore.ts"

/** A sweep, and the ways to move it on. The functions are stable. */
export interface HostSweep {
  readonly state: SweepState
  /** Starts a sweep. One that runs is given up as by `reset`. */
  readonly start: (start: SweepStart) => void
  /** Has the wallet sign the sweep in step `review`. A review with fewer legs comes from `selectLegs`. Default: every leg. */
  readonly confirm: (chosen?: BatchReview) => void
  /** Gives the sweep up, and returns to `idle`. A submitted sweep continues at the service. */
  readonly reset: () => void
}

/**
 * Sweeps a wallet: quotes, a review to show, one signature, and the progress. A sweep that is not submitted yet ends with the component.
 *
 * @param client - must be a stable object
 * @example
 * const { confirm, start, state } = useSweep(client)
 * if (state.step === "review") return <button onClick={() => confirm()}>Sign {state.review.legs.length} orders</button>
 */
export const useSweep = (client: SweepClient): HostSweep => {
  const store = useMemo(() => makeSweepStore(client), [client])
  const state = useSyncExternalStore(store.subscribe, store.get, store.get)
  useEffect(() => store.reset, [store])
  const { confirm, reset, start } = store
  return { state, start, confirm, reset }
}
