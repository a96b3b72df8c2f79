/** Checks that the servers of the destinations of alerts answer. Nothing is sent to them. */
import { Effect, Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import { enqueueUrl, type Target } from "../../../adapters/http/AlertDestinationsHttp.ts"
import * as Alerts from "../../../domain/doctor/Alerts.ts"
import * as AlertOptions from "../../AlertOptions.ts"
import { BOTH, type Check } from "../Check.ts"
import { outcomeOf } from "../Outcome.ts"

const urlOf = (target: Target): string =>
  target.kind === "pagerduty" ? enqueueUrl(target.url) : Redacted.value(target.url)

export const alerts: Check = {
  name: "destinations of alerts",
  services: BOTH,
  findings: Effect.fnUntraced(function* () {
    const destinations = yield* AlertOptions.destinations
    return Alerts.judge(
      yield* Effect.forEach(
        destinations,
        ({ name, target }) =>
          Effect.map(outcomeOf(HttpClientRequest.get(urlOf(target))), (outcome) => ({ name, outcome })),
        { concurrency: "unbounded" }
      )
    )
  })
}
