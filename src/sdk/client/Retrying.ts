/** Retries of the promise client. `core/Retry.ts` decides; this module waits. */
import { isUnanswered, pauseBeforeRetry, type RequestFailure, type RetryOptions } from "../core/Retry.ts"
import { ApiError, IdempotencyKeyInUseError, SweepPostponedError } from "../model/ApiErrors.ts"
import { NetworkError } from "../model/Errors.ts"
import { sleep } from "./Sleep.ts"

/** Describes an error to the retry policy. Returns undefined for an error that is not a failed request. */
export const failureOf = (error: unknown): RequestFailure | undefined =>
  error instanceof NetworkError || error instanceof ApiError ? error : undefined

/** True if the service may have stored the request, or may still store it: a request under the same key is in progress. */
const isUnknown = (error: unknown, failure: RequestFailure | undefined): boolean =>
  error instanceof IdempotencyKeyInUseError || (isUnanswered(failure) && !(error instanceof SweepPostponedError))

/**
 * Sends a request until it succeeds. Rejects with the last error if a retry is pointless or the attempts are used up. Its cause is then
 * the last error of an earlier attempt after which it is unknown what the service did.
 */
export const withRetries = async <A>(
  send: () => Promise<A>,
  options: RetryOptions | undefined,
  signal: AbortSignal | undefined
): Promise<A> => {
  let unanswered: unknown
  for (let sent = 1; ; sent++) {
    try {
      return await send()
    } catch (error) {
      const failure = failureOf(error)
      const pause = pauseBeforeRetry(failure, sent, options)
      if (pause === undefined) {
        if (unanswered && error instanceof Error) error.cause ??= unanswered
        throw error
      }
      if (isUnknown(error, failure)) unanswered = error
      await sleep(pause, signal)
    }
  }
}
