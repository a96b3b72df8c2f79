/** Figures of honest sweeps. */
import type { Sample } from "./Honest.ts"
import type { Stages } from "./Verdict.ts"

/** Sweeps that were under way at some moment between the two. */
export const between = (samples: ReadonlyArray<Sample>, since: number, until: number) =>
  samples.filter((sample) => sample.until >= since && sample.since <= until)

/** Durations of those that settled, in milliseconds. */
export const durations = (samples: ReadonlyArray<Sample>) =>
  samples.flatMap(({ failure, since, until }) => (failure === undefined ? [until - since] : []))

/** Times that the slowest of the sweeps took in each stage, in milliseconds. */
export const slowest = (samples: ReadonlyArray<Sample>): Stages | undefined => {
  const [longest] = samples
    .filter(({ failure }) => failure === undefined)
    .toSorted((a, b) => b.until - b.since - (a.until - a.since))
  if (longest?.quotedAt === undefined || longest.submittedAt === undefined) return undefined
  return {
    quote: Math.round(longest.quotedAt - longest.since),
    submission: Math.round(longest.submittedAt - longest.quotedAt),
    settlement: Math.round(longest.until - longest.submittedAt)
  }
}

/** Causes of those that failed. */
export const failures = (samples: ReadonlyArray<Sample>) =>
  samples.flatMap(({ failure }) => (failure === undefined ? [] : [failure]))
