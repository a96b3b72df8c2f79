/** `./sweep operate log`: shows what operators have changed. */
import { Effect, Schema } from "effect"
import { Command } from "effect/cli"
import { OperatorRecord } from "../domain/LaneState.ts"
import * as OrchestratorClient from "./OrchestratorClient.ts"
import { json, printed } from "./Output.ts"
import { table } from "./Table.ts"

const asRow = ({ action, actor, atMs, details, subject }: OperatorRecord): ReadonlyArray<string> => [
  new Date(atMs).toISOString(),
  actor,
  action,
  subject,
  Object.entries(details)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name}=${value}`)
    .join(" ")
]

export const operateLog = Command.make("log", { json }, ({ json }) =>
  Effect.gen(function* () {
    const { explained, lanes } = yield* OrchestratorClient.connect
    yield* printed(Schema.Array(OperatorRecord), yield* explained(lanes.log()), json, (records) =>
      table(["AT", "ACTOR", "CHANGE", "SUBJECT", "DETAILS"], records.map(asRow), "no changes")
    )
  })
).pipe(
  Command.withDescription("List the newest changes of operators"),
  Command.withExamples([{ command: "sweep operate log", description: "Who changed what, newest first" }])
)
