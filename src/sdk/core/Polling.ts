/** Pauses between polls: short at first, then as long as the specification asks. Pure. */
import { LONGEST_PAUSE_MILLIS, pauseAfterFailure, type RequestFailure } from "./Retry.ts"

export interface PollPauses {
  /** Pause after the first poll, in milliseconds. */
  readonly first: number
  /** Longest pause, in milliseconds. */
  readonly longest: number
}

export const DEFAULT_POLL_PAUSES: PollPauses = { first: 500, longest: 3_000 }

const GROWTH = 1.4

/** Returns the milliseconds to wait after a poll. `polled` counts the polls so far, this one included. */
export const pauseAfterPoll = (polled: number, { first, longest }: PollPauses = DEFAULT_POLL_PAUSES): number =>
  Math.min(first * GROWTH ** (polled - 1), longest)

/** The same after a poll that failed: at least as long as the service asks, up to a minute. Returns undefined to give up. */
export const pauseAfterFailedPoll = (
  failure: RequestFailure | undefined,
  polled: number,
  pauses: PollPauses = DEFAULT_POLL_PAUSES
): number | undefined => {
  const pause = pauseAfterFailure(failure, pauses.longest)
  return pause === undefined
    ? undefined
    : Math.max(Math.min(pause, LONGEST_PAUSE_MILLIS), pauseAfterPoll(polled, pauses))
}
