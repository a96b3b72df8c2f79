/** Follows a signed intent until it has ended, or until it is certain that it never reached the service. */
import { anySignal, sleep } from "../../sdk/client/Sleep.ts"
import { type Intent, NotFoundError, type SweepClient, WaitTimeoutError } from "../../sdk/index.ts"
import { forgottenAtMs, unknownEnd } from "./forgotten.ts"
import { isEnded, isUnconfirmed, lastSeen, lostAtMs, NOT_SUBMITTED, type Submission } from "./submissions.ts"

/** Pause before the service is asked again for an intent that it does not know. */
const UNKNOWN_MILLIS = 10_000

/** A browser's timers take no longer times. */
const LONGEST_TIMER_MILLIS = 2_147_483_647

export interface FollowOptions {
  readonly signal: AbortSignal
  /** Called with the first known state, and after every change. */
  readonly saw: (intent: Intent) => void
}

/**
 * Resolves with the end of an intent. If the service does not know it, or knows it as `quoted`, it is asked until the quote has expired, and
 * then once more: it cannot get the submission later. One that the service had, and no longer knows, ends as unknown once it cannot
 * settle.
 */
export const followIntent = async (
  client: Pick<SweepClient, "waitForIntent">,
  submission: Submission,
  { saw, signal }: FollowOptions
): Promise<Intent> => {
  let last = lastSeen(submission)
  const isDoubtful = () => isUnconfirmed({ ...submission, status: last.status })
  for (;;) {
    const left = lostAtMs(submission) - Date.now()
    const enough = new AbortController()
    const timer = setTimeout(() => left > 0 && isDoubtful() && enough.abort(), Math.min(left, LONGEST_TIMER_MILLIS))
    try {
      // oxlint-disable-next-line no-await-in-loop -- one wait after the other
      return await client.waitForIntent(submission.id, {
        signal: anySignal(signal, enough.signal),
        events: left > 0,
        onProgress: (intent) => {
          last = intent
          if (left <= 0 && isDoubtful()) enough.abort()
          saw(intent)
        }
      })
    } catch (error) {
      signal.throwIfAborted()
      const isUnknown = error instanceof NotFoundError
      if (isUnknown && isEnded(last)) return last
      if (isUnknown && !isDoubtful() && Date.now() >= forgottenAtMs(submission)) return unknownEnd(last)
      const isMissing = isUnknown || enough.signal.aborted
      if (!isDoubtful() || !(isMissing || (left > 0 && error instanceof WaitTimeoutError))) throw error
      if (left <= 0) return { ...last, status: "failed", failureReason: NOT_SUBMITTED }
      // oxlint-disable-next-line no-await-in-loop
      if (isUnknown) await sleep(Math.min(left, UNKNOWN_MILLIS), signal)
    } finally {
      clearTimeout(timer)
    }
  }
}
