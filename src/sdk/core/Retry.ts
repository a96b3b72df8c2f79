/**
 * Decides if and when a failed request is sent again. Pure: the promise client and the Effect client say what failed, and wait
 * in their own way.
 */

/** Limits of the retries of one request. */
export interface RetryOptions {
  /** Number of times that a request is sent at most. 1 disables retries. Default: 4. */
  readonly attempts?: number
  /** Pause before the second attempt, in milliseconds. It doubles before each further attempt. Default: 500. */
  readonly pauseMillis?: number
}

/** A failed request, as far as a retry depends on it. */
export interface RequestFailure {
  /** HTTP status; undefined if no response arrived. */
  readonly status: number | undefined
  /** Pause that the service asks for, if it asks for one. */
  readonly retryAfterSeconds?: number | undefined
}

/** A longer pause is not worth waiting for: a rate limit is counted per minute, and a quote lives for two. */
export const LONGEST_PAUSE_MILLIS = 60_000

/** True if it is not known what the service did. */
export const isUnanswered = (failure: RequestFailure | undefined): boolean =>
  failure?.status === undefined || failure.status >= 500

/**
 * Returns the milliseconds to wait after a failure: as long as the service asks, else `pauseMillis`. Returns undefined if a
 * retry cannot succeed.
 */
export const pauseAfterFailure = (failure: RequestFailure | undefined, pauseMillis: number): number | undefined => {
  if (failure === undefined) return undefined
  if (failure.retryAfterSeconds !== undefined) return failure.retryAfterSeconds * 1000
  return isUnanswered(failure) ? pauseMillis : undefined
}

/**
 * Returns the milliseconds to wait before the next attempt, or undefined to give up.
 *
 * @param failure - undefined for an error that is not a failed request
 * @param sent - number of times that the request was sent
 */
export const pauseBeforeRetry = (
  failure: RequestFailure | undefined,
  sent: number,
  { attempts = 4, pauseMillis = 500 }: RetryOptions = {}
): number | undefined => {
  const pause = pauseAfterFailure(failure, pauseMillis * 2 ** (sent - 1))
  return pause === undefined || pause > LONGEST_PAUSE_MILLIS || sent >= attempts ? undefined : pause
}
