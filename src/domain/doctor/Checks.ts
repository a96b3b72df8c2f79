/** Findings about the checks themselves. */
import { error, warning } from "./Finding.ts"

export const kinds = {
  notChecked: warning(
    "not_checked",
    "a check needs something that is missing or that does not answer",
    "Correct the other findings, and run the command again."
  ),
  tooSlow: warning(
    "check_too_slow",
    "a check did not end in time",
    "Look at the other findings about slow parts, and run the command again."
  ),
  broken: error(
    "check_broken",
    "a check failed unexpectedly, which is a defect of the command",
    "Report it with the version and the settings' names. The other checks are not affected."
  )
}
