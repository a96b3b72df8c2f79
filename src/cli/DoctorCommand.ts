/** `./sweep doctor`: checks a deployment before and while it runs, and says what to do about each finding. */
import { Console, Effect, References, Schema, Terminal } from "effect"
import { Command, Flag } from "effect/cli"
import { FetchHttpClient } from "effect/http"
import * as Address from "../domain/Address.ts"
import { counts } from "../domain/doctor/Finding.ts"
import { scrubber } from "../domain/doctor/Scrub.ts"
import { checks } from "./doctor/AllChecks.ts"
import * as Deployment from "./doctor/Deployment.ts"
import * as Doctor from "./doctor/Doctor.ts"
import * as Report from "./doctor/Report.ts"
import { secrets } from "./doctor/Secrets.ts"
import { json, printed } from "./Output.ts"

const builderFlag = Flag.Boolean("builder").pipe(
  Flag.withDescription("Check the builder backend's settings. Default: the services whose settings are there"),
  Flag.withDefault(false)
)

const orchestratorFlag = Flag.Boolean("orchestrator").pipe(
  Flag.withDescription("Check the orchestrator's settings. Default: the services whose settings are there"),
  Flag.withDefault(false)
)

const listed = Flag.String("listed").pipe(
  Flag.withSchema(Address.NonZeroAddress),
  Flag.withDescription("A sanctioned address, which every chain's oracle must list"),
  Flag.optional
)

/** There are findings of level `error`. The report is printed already. */
export class ErrorsFound extends Schema.TaggedError<ErrorsFound>()("ErrorsFound", { errors: Schema.Int }) {
  override get message(): string {
    return this.errors === 1
      ? "the deployment has an error, see above"
      : `the deployment has ${this.errors} errors, see above`
  }
}

/** A line for each check that has ended, on a terminal. */
const onTerminal: Doctor.Progress = ({ check, findings }, left) => {
  const { error, warning } = counts(findings)
  const outcome = error > 0 ? "errors" : warning > 0 ? "warnings" : "ok"
  return Console.error(`checked ${check}: ${outcome}${left === 0 ? "" : `, ${left} left`}`)
}

/** Pipes and files have no columns. */
const isTerminal = Effect.flatMap(Terminal.Terminal, ({ columns }) => Effect.map(columns, (count) => count > 0))

export const doctorCommand = Command.make(
  "doctor",
  { builder: builderFlag, orchestrator: orchestratorFlag, listed, json },
  ({ builder, json, listed, orchestrator }) =>
    Effect.gen(function* () {
      const asked = [
        ...(orchestrator ? (["orchestrator"] as const) : []),
        ...(builder ? (["builder-backend"] as const) : [])
      ]
      const services = asked.length > 0 ? asked : yield* Deployment.servicesBySettings
      const deployment = yield* Deployment.make(services, listed)
      const scrub = scrubber(yield* secrets)
      const progress = !json && (yield* isTerminal) ? onTerminal : () => Effect.void
      const all = yield* Doctor.examine(checks, deployment, scrub, progress)
      const report = Report.of(services, all)
      yield* printed(Report.Report, report, json, Report.asText)
      if (report.errors > 0) return yield* new ErrorsFound({ errors: report.errors })
    }).pipe(
      Effect.scoped,
      Effect.provide(FetchHttpClient.layer),
      // Findings say what the adapters would log.
      Effect.provideService(References.MinimumLogLevel, "None")
    )
).pipe(
  Command.withDescription(
    "Check settings, database, endpoints, contracts, lanes and providers, and say what to do. Exits with 1 if there is an error"
  ),
  Command.withExamples([
    { command: "sweep doctor", description: "Check the deployment of the settings" },
    { command: "sweep doctor --json", description: "Print the findings for a program" }
  ])
)
