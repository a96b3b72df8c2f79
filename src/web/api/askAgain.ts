/** Repeats a query by itself while its answer is missing or incomplete, so that a page does not stay at a short failure. */
import { useState } from "react"
import { RetryLaterError } from "../../sdk/model/ApiErrors.ts"
import { SweepError } from "../../sdk/model/SweepError.ts"

const FIRST_PAUSE_MILLIS = 2_000
const LONGEST_PAUSE_MILLIS = 60_000

/** Longest pause that the service can ask for. A timer of more than 24.8 days overflows, and runs at once. */
const LONGEST_ASKED_MILLIS = 3_600_000

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

/** The last pause of each query that is in trouble, the number of answers before it, and the number of pauses. */
const pauses = new WeakMap<object, { readonly answers: number; readonly millis: number; readonly count: number }>()

const isFinal = (error: unknown): boolean => error instanceof SweepError && !error.retryable

/**
 * Makes a `refetchInterval`: milliseconds until the query asks again, or false if its answer is complete or a retry cannot
 * succeed. The pause doubles from 2 seconds to a minute, is at least what the service asks for, up to an hour, and starts
 * again after a complete answer. After `most` pauses in a row the query asks no more by itself. Default: no maximum.
 */
export const askAgain =
  <Data>(isIncomplete: (data: Data) => boolean, most = Infinity) =>
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
    const isSame = last?.answers === answers
    const count = (last?.count ?? 0) + (isSame ? 0 : 1)
    const millis =
      last === undefined ? FIRST_PAUSE_MILLIS : isSame ? last.millis : Math.min(2 * last.millis, LONGEST_PAUSE_MILLIS)
    pauses.set(query, { answers, millis, count })
    if (count > most) return false
    const askedMillis = error instanceof RetryLaterError ? 1_000 * error.retryAfterSeconds : 0
    return Math.max(millis, Math.min(askedMillis, LONGEST_ASKED_MILLIS))
  }

/** The same for answers that are always complete. */
export const askAgainAfterFailure = askAgain(() => false)

/**
 * The last error of a query that has no data, or null. It stays while the query asks again, so that its message does not flicker. `key`
 * tells queries apart that follow one another. Default: there is one query.
 */
export const useLastError = (
  { data, error }: { readonly data: unknown; readonly error: unknown },
  key: string = ""
): unknown => {
  const [last, setLast] = useState<{ readonly key: string; readonly error: unknown }>({ key, error: null })
  const now = data === undefined ? (error ?? (last.key === key ? last.error : null)) : null
  if (now !== last.error || key !== last.key) setLast({ key, error: now })
  return now
}
