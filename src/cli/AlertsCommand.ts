/** `./sweep alerts`: lists the standing alerts of both services, closes those that only an operator can end, and sends a test to every destination. */
import { Clock, Effect, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { FetchHttpClient, HttpClient } from "effect/http"
import * as AlertDestinationsHttp from "../adapters/http/AlertDestinationsHttp.ts"
import { ClosedAlert } from "../api/orchestrator/Schemas.ts"
import { alerts } from "../config/Alerts.ts"
import { testMessage } from "../domain/AlertMessage.ts"
import { AlertView } from "../domain/Health.ts"
import { DestinationName } from "../ports/shared/AlertDestinations.ts"
import * as AlertOptions from "./AlertOptions.ts"
import * as BothServices from "./BothServices.ts"
import * as BuilderClient from "./BuilderClient.ts"
import * as OrchestratorClient from "./OrchestratorClient.ts"
import { json, printed } from "./Output.ts"
import { table } from "./Table.ts"
import { UsageError } from "./UsageError.ts"

const Listed = Schema.Struct({ service: Schema.String, ...AlertView.fields })
type Listed = typeof Listed.Type

const ofOrchestrator = Effect.gen(function* () {
  const { explained, operator } = yield* OrchestratorClient.connect
  return yield* explained(operator.alerts())
})

const ofBuilder = Effect.gen(function* () {
  const { console, explained } = yield* BuilderClient.connect
  return yield* explained(console.alerts())
})

const named = (service: string) => (standing: ReadonlyArray<AlertView>) =>
  standing.map(({ details, id, kind, message, severity, sinceMs }): Listed => ({
    service,
    id,
    severity,
    kind,
    message,
    sinceMs,
    details
  }))

const asRow = ({ id, kind, message, service, severity, sinceMs }: Listed): ReadonlyArray<string> => [
  severity,
  service,
  id,
  kind,
  new Date(sinceMs).toISOString(),
  message
]

const criticalFirst = (listed: ReadonlyArray<Listed>) =>
  listed.toSorted(
    (a, b) => Number(b.severity === "critical") - Number(a.severity === "critical") || a.sinceMs - b.sinceMs
  )

const list = (asJson: boolean) =>
  BothServices.listed(
    Effect.map(ofOrchestrator, named("orchestrator")),
    Effect.map(ofBuilder, named("builder-backend")),
    (all) =>
      printed(Schema.Array(Listed), criticalFirst(all), asJson, (rows) =>
        table(["SEVERITY", "SERVICE", "ID", "KIND", "SINCE", "MESSAGE"], rows.map(asRow), "no alerts")
      )
  )

const Tested = Schema.Struct({ destination: DestinationName, accepted: Schema.Boolean, detail: Schema.String })

/** A destination did not accept the test. The outcomes are printed already. */
export class TestNotAccepted extends Schema.TaggedError<TestNotAccepted>()("TestNotAccepted", {
  destinations: Schema.Array(DestinationName)
}) {
  override get message(): string {
    return `${this.destinations.join(", ")} did not accept the test. Check the settings ALERT_…`
  }
}

const sendTests = Effect.gen(function* () {
  const destinations = yield* AlertOptions.destinations
  if (destinations.length === 0) {
    return yield* new UsageError({
      detail:
        "no destination of alerts is set. Set ALERT_WEBHOOK_URL, ALERT_SLACK_URL or ALERT_PAGERDUTY_KEY (docs/how-to/get-woken-by-alerts.md)"
    })
  }
  const client = yield* HttpClient.HttpClient
  const source = yield* alerts.alertSource.config
  const now = yield* Clock.currentTimeMillis
  return yield* Effect.forEach(
    destinations,
    (destination) =>
      AlertDestinationsHttp.make(client, destination)
        .send(testMessage(`test-${destination.name}-${now.toString(36)}`, source, now))
        .pipe(
          Effect.as({ destination: destination.name, accepted: true, detail: "accepted" }),
          Effect.catch(({ detail }) => Effect.succeed({ destination: destination.name, accepted: false, detail }))
        ),
    { concurrency: "unbounded" }
  )
})

const test = Command.make("test", { json }, ({ json }) =>
  Effect.gen(function* () {
    const outcomes = yield* sendTests
    yield* printed(Schema.Array(Tested), outcomes, json, (all) =>
      table(
        ["DESTINATION", "OUTCOME"],
        all.map(({ accepted, destination, detail }) => [destination, accepted ? detail : `failed: ${detail}`])
      )
    )
    const failed = outcomes.filter(({ accepted }) => !accepted).map(({ destination }) => destination)
    if (failed.length > 0) return yield* new TestNotAccepted({ destinations: failed })
  }).pipe(Effect.provide(FetchHttpClient.layer))
).pipe(
  Command.withDescription(
    "Send a test to every destination of alerts of the settings, and print the outcomes. Exits with 1 if one fails"
  ),
  Command.withExamples([{ command: "sweep alerts test", description: "Try the settings before you rely on them" }])
)

const closeAtOrchestrator = Effect.fnUntraced(function* (id: string) {
  const { explained, operator } = yield* OrchestratorClient.connect
  return yield* explained(operator.closeAlert({ params: { id } }), {
    NotFound: `the orchestrator has no alert ${id} that you can close. Alerts of most kinds end when their causes are gone`
  })
})

/** The backend clears alerts by their keys, which the list does not show. */
const closeAtBuilder = Effect.fnUntraced(function* (id: string) {
  const { console, explained } = yield* BuilderClient.connect
  const alert = (yield* explained(console.alerts())).find((each) => each.id === id)
  if (alert === undefined) return yield* new UsageError({ detail: `the builder backend has no alert ${id}` })
  yield* explained(console.clearAlert({ payload: { key: alert.key } }))
  return { id, outcome: "closed" as const }
})

const service = Flag.Literals("service", ["orchestrator", "builder"]).pipe(
  Flag.withDefault("orchestrator"),
  Flag.withDescription("Service that has the alert. Default: orchestrator")
)

const close = Command.make(
  "close",
  {
    id: Argument.String("id").pipe(Argument.withDescription("Id of the alert, as `sweep alerts` shows it")),
    json,
    service
  },
  ({ id, json, service }) =>
    Effect.gen(function* () {
      const closed = yield* service === "builder" ? closeAtBuilder(id) : closeAtOrchestrator(id)
      yield* printed(ClosedAlert, closed, json, (alert) => `alert ${alert.id} is closed`)
    })
).pipe(
  Command.withDescription(
    "Close an alert settled_after_failure or settlement_lost of the orchestrator, or any alert of the builder backend, after you have corrected the books by hand. An alert of the backend is raised again if its cause persists"
  ),
  Command.withExamples([
    { command: "sweep alerts close 7", description: "Close an alert of the orchestrator that nothing else ends" },
    { command: "sweep alerts close --service builder 7", description: "Close an alert of the builder backend" }
  ])
)

export const alertsCommand = Command.make("alerts", { json }, ({ json }) => list(json)).pipe(
  Command.withDescription("List the standing alerts of both services, critical first"),
  Command.withSubcommands([close, test]),
  Command.withExamples([{ command: "sweep alerts", description: "List what needs attention now" }])
)
