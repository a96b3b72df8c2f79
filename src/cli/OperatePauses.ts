/** `./sweep operate pause`, `resume`, `reset` and `pauses`: stop and start sweeps over the orchestrator's operator routes. */
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { nameOf, parse, PauseView } from "../domain/Pause.ts"
import * as OrchestratorClient from "./OrchestratorClient.ts"
import { json, printed } from "./Output.ts"
import { table } from "./Table.ts"
import { UsageError } from "./UsageError.ts"

const subject = Argument.String("subject").pipe(
  Argument.withDescription("`all`, `chain:<id>`, `token:<chain id>:<address>` or `builder:<id>`")
)

const reason = Flag.String("reason").pipe(Flag.withDescription("Reason, for the record"), Flag.withDefault(""))

const REFUSALS: Readonly<Record<string, string>> = {
  NotFound: "the orchestrator does not serve this chain. GET /chains lists the chains"
}

const rowOf = ({ chosen, configured, state, subject }: PauseView): ReadonlyArray<string> => [
  nameOf(subject),
  state,
  configured,
  chosen === null ? "–" : new Date(chosen.sinceMs).toISOString(),
  chosen?.actor ?? "–",
  chosen?.reason ?? ""
]

const asTable = (pauses: ReadonlyArray<PauseView>): string =>
  table(["SUBJECT", "STATE", "SETTING", "SINCE", "BY", "REASON"], pauses.map(rowOf), "nothing is paused")

const requireSubject = (name: string) =>
  Effect.mapError(
    Effect.fromOption(Option.fromUndefinedOr(parse(name))),
    () =>
      new UsageError({
        detail: `${name} names nothing that can be paused. Use all, chain:8453, token:8453:0x… or builder:bld_…`
      })
  )

const changing = (name: string, state: "paused" | "running" | "default", description: string, example: string) =>
  Command.make(name, { subject, reason, json }, ({ json, reason, subject }) =>
    Effect.gen(function* () {
      const wanted = yield* requireSubject(subject)
      const { explained, pauses } = yield* OrchestratorClient.connect
      const request = { payload: { subject: wanted, state, reason } }
      yield* printed(PauseView, yield* explained(pauses.changePause(request), REFUSALS), json, (view) =>
        asTable([view])
      )
    })
  ).pipe(
    Command.withDescription(description),
    Command.withExamples([{ command: `sweep operate ${name} ${example}`, description }])
  )

export const operatePause = changing(
  "pause",
  "paused",
  "Stop quotes, submissions and sending, on every replica within two seconds. Accepted sweeps wait",
  'chain:8453 --reason "sequencer is down"'
)

export const operateResume = changing(
  "resume",
  "running",
  "End a pause, also one of RELAYER_PAUSED_CHAINS",
  "chain:8453"
)

export const operateReset = changing(
  "reset",
  "default",
  "Drop the operator's choice, so that the settings hold again",
  "chain:8453"
)

export const operatePauses = Command.make("pauses", { json }, ({ json }) =>
  Effect.gen(function* () {
    const { explained, pauses } = yield* OrchestratorClient.connect
    yield* printed(Schema.Array(PauseView), yield* explained(pauses.pauses()), json, asTable)
  })
).pipe(
  Command.withDescription("List pauses, with the settings that they replace"),
  Command.withExamples([{ command: "sweep operate pauses", description: "Show who paused what, and why" }])
)
