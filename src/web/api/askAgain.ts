/** Repeats a query by itself while its answer is missing or incomplete, so that a page does not stay at a short failure. */
import { useState } from "react"
import { RetryLaterError, SweepError } from "../../sdk/index.ts"

const FIRST_PAUSE_MILLIS = 2_000
const LONGEST_PAUSE_MILLIS = 60_000

/** The part of a query of TanStack Query that decides. */
export interface Asked<Data> {
  readonly state: {
    readonly data: Data | undefined
    readonly error: unknown
    readonly status: "pending" | "error" | "success"
    readonly dataUpdateCount: number
    readonly errorUpdateCount: number
  }
}

/** The last pause of each query that is in trouble, and the number of answers before it. */
const pauses = new WeakMap<object, { readonly answers: number; readonly millis: number }>()

const isFinal = (error: unknown): boolean => error instanceof SweepError && !error.retryable

/**
 * Makes a `refetchInterval`: milliseconds until the query asks again, or false if its answer is complete or a retry cannot
 * succeed. The pause doubles from 2 seconds to a minute, is at least what the service asks for, and starts again after a
 * complete answer.
 */
export const askAgain =
  <Data>(isIncomplete: (data: Data) => boolean) =>
  (query: Asked<Data>): number | false => {
    const { data, dataUpdateCount, error, errorUpdateCount, status } = query.state
    // A query without data forgets its error while it asks again.
    if (status === "pending") return false
    if (isFinal(error) || (error === null && (data === undefined || !isIncomplete(data)))) {
      pauses.delete(query)
      return false
    }
    const answers = dataUpdateCount + errorUpdateCount
    const last = pauses.get(query)
    const millis =
      last === undefined
        ? FIRST_PAUSE_MILLIS
        : last.answers === answers
          ? last.millis
          : Math.min(2 * last.millis, LONGEST_PAUSE_MILLIS)
    pauses.set(query, { answers, millis })
    return error instanceof RetryLaterError ? Math.max(millis, 1_000 * error.retryAfterSeconds) : millis
  }

/** The same for answers that are always complete. */
export const askAgainAfterFailure = askAgain(() => false)

/** The last error of a query that has no data, or null. It stays while the query asks again, so that its message does not flicker. */
export const useLastError = ({ data, error }: { readonly data: unknown; readonly error: unknown }): unknown => {
  const [last, setLast] = useState<unknown>(null)
  const now = data === undefined ? (error ?? last) : null
  if (now !== last) setLast(now)
  return now
}
