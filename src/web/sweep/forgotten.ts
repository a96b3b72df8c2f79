/** Ends of submissions that the service had, and no longer knows: a backup was restored, or old ones were archived. Pure. */
import type { Intent } from "../../sdk/index.ts"
import { isEnded, lastSeen, LONGEST_QUOTE_MILLIS, type Submission, UNKNOWN_TO_SERVICE } from "./submissions.ts"

/** Time after its signature at which no order can settle: twice the longest life covers any difference of clocks. */
const SETTLED_MILLIS = 2 * LONGEST_QUOTE_MILLIS

/** Time from which a submission that the service had, and no longer knows, ends as unknown. */
export const forgottenAtMs = ({ submittedAtMs }: Submission): number => submittedAtMs + SETTLED_MILLIS

/** The end of an intent that the service forgot. */
export const unknownEnd = (last: Intent): Intent => ({ ...last, status: "failed", failureReason: UNKNOWN_TO_SERVICE })

/** Ends of a sweep's intents that the service no longer tells of. Empty while one of its orders may still settle. */
export const forgottenIn = (
  list: ReadonlyArray<Submission>,
  sweepId: string,
  told: ReadonlyArray<Intent>,
  nowMs: number
): ReadonlyArray<Intent> => {
  const known = new Set(told.map(({ id }) => id))
  return list
    .filter((each) => each.sweepId === sweepId && !isEnded(each) && !known.has(each.id) && nowMs >= forgottenAtMs(each))
    .map((each) => unknownEnd(lastSeen(each)))
}
