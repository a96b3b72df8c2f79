/** State of one sweep of a wallet, for a page that draws it by itself. */
import type {
  BatchReview,
  Sweep,
  SweepAllOptions,
  SweepAllRequest,
  SweepClient,
  SweepSigner
} from "../../../sdk/index.ts"

export type SweepState =
  /** No sweep runs. */
  | { readonly step: "idle" }
  /** The service is asked for balances and quotes. */
  | { readonly step: "quoting" }
  /** The quotes passed the review. The sweep waits for `confirm`. */
  | { readonly step: "review"; readonly review: BatchReview }
  /** The wallet is asked for its signature, and the sweep is submitted. */
  | { readonly step: "signing"; readonly review: BatchReview }
  /** The service sends the sweep. Its state is undefined until it is known. */
  | { readonly step: "following"; readonly review: BatchReview; readonly sweep: Sweep | undefined }
  /** Every intent is delivered or failed. */
  | { readonly step: "ended"; readonly review: BatchReview; readonly sweep: Sweep }
  /**
   * The sweep stopped. The error is a `SweepError`, or one of the app's own code. It has the review if the wallet signed it: such a
   * sweep may still be executed.
   */
  | { readonly step: "failed"; readonly error: unknown; readonly review?: BatchReview }

/** A sweep to start: the request of `sweepAll`, the wallet, and the choice of balances. */
export interface SweepStart extends Pick<SweepAllOptions, "choose" | "timeoutMillis"> {
  readonly request: SweepAllRequest
  readonly signer: SweepSigner
}

interface Run {
  readonly stop: AbortController
  /** Answers the review that waits. */
  decide: (chosen: BatchReview | undefined) => void
}

const IDLE = { step: "idle" } as const

/** Makes a store of at most one running sweep. */
export const makeSweepStore = (client: Pick<SweepClient, "sweepAll">) => {
  let state: SweepState = IDLE
  let current: Run | undefined
  const listeners = new Set<() => void>()

  const set = (next: SweepState) => {
    state = next
    for (const listener of listeners) listener()
  }

  const reset = () => {
    const ended = current
    current = undefined
    ended?.stop.abort()
    ended?.decide(undefined)
    if (state !== IDLE) set(IDLE)
  }

  const start = ({ request, signer, ...options }: SweepStart) => {
    reset()
    const run: Run = { stop: new AbortController(), decide: () => undefined }
    current = run
    // A sweep that was replaced shows nothing more.
    const show = (next: SweepState) => {
      if (current === run) set(next)
    }
    let confirmed: BatchReview | undefined
    let signed: { readonly review?: BatchReview } = {}
    const follow = (sweep: Sweep | undefined) => {
      if (confirmed !== undefined) show({ step: "following", review: confirmed, sweep })
    }
    show({ step: "quoting" })
    client
      .sweepAll(request, signer, {
        ...options,
        signal: run.stop.signal,
        confirm: (review) =>
          new Promise((resolve) => {
            run.decide = (chosen) => {
              run.decide = () => undefined
              confirmed = chosen
              if (chosen !== undefined) show({ step: "signing", review: chosen })
              resolve(chosen ?? false)
            }
            if (current === run) show({ step: "review", review })
            else run.decide(undefined)
          }),
        onEvent: (event) => {
          if (event.type === "signed" && confirmed !== undefined) signed = { review: confirmed }
          if (event.type === "submitted") follow(undefined)
          if (event.type === "progress") follow(event.sweep)
        }
      })
      .then(
        (result) => show(result === undefined ? IDLE : { step: "ended", ...result }),
        (error: unknown) => show({ step: "failed", error, ...signed })
      )
  }

  return {
    get: (): SweepState => state,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    start,
    confirm: (chosen?: BatchReview) => {
      if (state.step === "review") current?.decide(chosen ?? state.review)
    },
    reset
  }
}
