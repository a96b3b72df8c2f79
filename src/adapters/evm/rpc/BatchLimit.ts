/** The batch size that an endpoint accepts, learned from its replies. */
import { Clock, Effect } from "effect"

/** Milliseconds for which an endpoint that refused a batch gets no larger one. */
const SMALLER_FOR_MILLIS = 600_000

export interface BatchLimit {
  /** Largest batch to try. */
  readonly size: () => number
  /** Largest batch in which every call was answered. */
  readonly proven: () => number
  /** Notes a batch in which every call was answered. */
  readonly answered: (calls: number) => void
  /** Halves the size after a batch with unanswered calls. */
  readonly refused: (calls: number) => Effect.Effect<void>
  /** Size after a reduction that is older than `SMALLER_FOR_MILLIS` was reset. */
  readonly current: Effect.Effect<number>
}

export const make = (maxBatch: number): BatchLimit => {
  let size = maxBatch
  let limitedUntil = 0
  let proven = 1
  return {
    size: () => size,
    proven: () => Math.min(proven, size),
    answered: (calls) => {
      proven = Math.max(proven, calls)
    },
    refused: (calls) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        size = Math.max(1, Math.min(size, calls >> 1))
        proven = Math.min(proven, size)
        limitedUntil = now + SMALLER_FOR_MILLIS
      }),
    current: Effect.map(Clock.currentTimeMillis, (now) => {
      // A longer time means that the clock was set back.
      const isOver = now >= limitedUntil || limitedUntil - now > SMALLER_FOR_MILLIS
      if (size < maxBatch && isOver) size = maxBatch
      return size
    })
  }
}
