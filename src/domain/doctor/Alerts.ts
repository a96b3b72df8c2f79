/** Judges the destinations of alerts. Pure. */
import { type Finding, found, ok, warning } from "./Finding.ts"
import type { Outcome } from "./Services.ts"

export const kinds = {
  untold: warning(
    "alerts_untold",
    "no destination of alerts is configured, so nobody is told about them",
    "Set `ALERT_WEBHOOK_URL`, `ALERT_SLACK_URL` or `ALERT_PAGERDUTY_KEY` (docs/how-to/get-woken-by-alerts.md)."
  ),
  unreachable: warning(
    "alert_destination_unreachable",
    "a destination of alerts does not answer, or fails",
    "Check its setting and the network, and run `./sweep alerts test`."
  ),
  reachable: ok("alert_destination_ok", "the server of a destination of alerts answers")
}

export interface DestinationFacts {
  readonly name: string
  /** Outcome of a request that sends nothing. Such requests are refused by a server that works. */
  readonly outcome: Outcome
}

export const judge = (destinations: ReadonlyArray<DestinationFacts>): ReadonlyArray<Finding> =>
  destinations.length === 0
    ? [found(kinds.untold, "ALERT_…", "no destination is set")]
    : destinations.map(({ name, outcome }) => {
        if (outcome._tag === "Silent") return found(kinds.unreachable, name, outcome.detail)
        const kind = outcome.status >= 500 ? kinds.unreachable : kinds.reachable
        return found(kind, name, `HTTP ${outcome.status}`)
      })
