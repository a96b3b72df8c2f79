/** `./sweep outbox`: shows and closes messages that the builder backend did not take, over the orchestrator's operator routes. */
import { Effect, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { ClosedMessage } from "../api/orchestrator/Schemas.ts"
import { AlertView } from "../domain/Health.ts"
import * as OrchestratorClient from "./OrchestratorClient.ts"
import { json, printed } from "./Output.ts"
import { table } from "./Table.ts"

/** Kinds of alerts about one message, which `close` ends. */
const KINDS: ReadonlySet<string> = new Set(["outbox_rejected", "outbox_unreadable"])

const detailOf = (alert: AlertView, name: string): string => String(alert.details[name] ?? "–")

const asRow = (alert: AlertView): ReadonlyArray<string> => [
  detailOf(alert, "outboxId"),
  alert.kind === "outbox_unreadable" ? "unreadable" : "rejected",
  new Date(alert.sinceMs).toISOString(),
  detailOf(alert, "sweepId"),
  detailOf(alert, "detail")
]

const list = Command.make("list", { json }, ({ json }) =>
  Effect.gen(function* () {
    const { explained, operator } = yield* OrchestratorClient.connect
    const standing = yield* explained(operator.alerts())
    yield* printed(
      Schema.Array(AlertView),
      standing.filter(({ kind }) => KINDS.has(kind)),
      json,
      (alerts) => table(["ID", "STATE", "SINCE", "SWEEP", "DETAIL"], alerts.map(asRow), "no rejected messages")
    )
  })
).pipe(
  Command.withDescription("List messages that the builder backend rejected or that cannot be read"),
  Command.withExamples([{ command: "sweep outbox list", description: "List the messages with the reason of each" }])
)

const close = Command.make(
  "close",
  { id: Argument.String("id").pipe(Argument.withDescription("Id of the message, as `list` shows it")), json },
  ({ id, json }) =>
    Effect.gen(function* () {
      const { explained, operator } = yield* OrchestratorClient.connect
      const closed = yield* explained(operator.closeMessage({ params: { id } }), {
        NotFound: `no alert stands for a message ${id}. \`sweep outbox list\` shows those that can be closed`
      })
      yield* printed(ClosedMessage, closed, json, (message) => `message ${message.id} is closed and not delivered`)
    })
).pipe(
  Command.withDescription(
    "Close a rejected message, after you have corrected the books by hand. It is not delivered, and its alert ends"
  ),
  Command.withExamples([{ command: "sweep outbox close 41", description: "Close the message of an alert" }])
)

export const outboxCommand = Command.make("outbox").pipe(
  Command.withDescription("Manage the orchestrator's messages that the builder backend did not accept"),
  Command.withSubcommands([list, close])
)
