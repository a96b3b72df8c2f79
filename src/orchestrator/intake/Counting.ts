/** Counts submissions by outcome. */
import { Exit, Option } from "effect"
import { SUBMISSIONS } from "../../telemetry/metrics/Quotes.ts"
import { timed } from "../../telemetry/Timed.ts"
import { SubmissionRefused } from "./SubmissionRefused.ts"

/** Counts one submission. One whose client left, or that the database could not store, is counted as such. */
export const counted = timed((exit) => {
  if (Exit.isSuccess(exit)) return SUBMISSIONS.record(1, { outcome: "accepted", reason: "" })
  const failure = Option.getOrUndefined(Exit.findErrorOption(exit))
  const reason = failure instanceof SubmissionRefused ? failure.reason : failure === undefined ? "ended" : "busy"
  return SUBMISSIONS.record(1, { outcome: "refused", reason })
})
