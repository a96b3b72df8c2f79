/** Repetition of requests of the dashboard and the console that fail for a moment. */
import { isFailure, retryAfterSeconds } from "./failures.ts"
import { UNREACHABLE } from "./ServiceError.ts"

/** Failures after which the same request may succeed. */
const TRANSIENT = [
  UNREACHABLE,
  "InternalError",
  "OrchestratorUnavailable",
  "RateLimitExceeded",
  "Unavailable",
  "UpstreamFailed"
]

const MOST = 3

const FIRST_PAUSE_MILLIS = 1_000

/** A longer pause is left to the user. */
const LONGEST_PAUSE_MILLIS = 60_000

/** Milliseconds before a request is repeated: 1, 2 and 4 seconds, and at least what the service asks for. */
export const pauseAfter = (failures: number, error: unknown): number =>
  Math.max(FIRST_PAUSE_MILLIS * 2 ** failures, 1_000 * (retryAfterSeconds(error) ?? 0))

/** True if a request that failed so many times before is repeated. */
export const isRepeated = (failures: number, error: unknown): boolean =>
  failures < MOST &&
  TRANSIENT.some((tag) => isFailure(error, tag)) &&
  pauseAfter(failures, error) <= LONGEST_PAUSE_MILLIS

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** Repeats a request that is no query, such as the next page of an export. Rejects with the last error. */
export const repeated = async <A>(ask: () => Promise<A>, failures = 0): Promise<A> => {
  try {
    return await ask()
  } catch (error) {
    if (!isRepeated(failures, error)) throw error
    await sleep(pauseAfter(failures, error))
    return repeated(ask, failures + 1)
  }
}
