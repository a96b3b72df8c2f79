/**
 * `./sweep restore`: restores a dump into an empty database, pauses all sweeps until an operator resumes them, and stops payouts until it is
 * reconciled.
 */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, FileSystem, type Redacted, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import * as BuilderMigrated from "../adapters/sql/builder/Migrated.ts"
import * as Restores from "../adapters/sql/builder/Restores.ts"
import * as OrchestratorMigrated from "../adapters/sql/orchestrator/Migrated.ts"
import * as LostTransactions from "../adapters/sql/orchestrator/LostTransactions.ts"
import * as Database from "../adapters/sql/shared/Database.ts"
import * as OperatorChoices from "../adapters/sql/shared/OperatorChoices.ts"
import * as DatabaseFacts from "./DatabaseFacts.ts"
import { json, printed } from "./Output.ts"
import * as PostgresTools from "./PostgresTools.ts"
import { facts, table } from "./Table.ts"
import { UsageError } from "./UsageError.ts"

const Restored = Schema.Struct({
  file: Schema.String,
  tables: Schema.Int,
  /** Last write of the services that the database shows, in UNIX milliseconds. */
  restoredToMs: Schema.Int,
  /** Choices of operators in the dump, without the pause that the restore adds. */
  choices: Schema.Array(OperatorChoices.Choice),
  /** Lanes whose state an operator had changed. All others are active. */
  lanes: Schema.Array(OperatorChoices.ChosenLane)
})

const iso = (millis: number): string => new Date(millis).toISOString()

const asChoices = (choices: ReadonlyArray<OperatorChoices.Choice>): string =>
  table(
    ["SERVICE", "CHOICE", "VALUE", "SINCE", "BY", "REASON"],
    choices.map(({ actor, name, reason, service, sinceMs, value }) => [
      service,
      name,
      value ?? "not shown",
      iso(sinceMs),
      actor,
      reason
    ]),
    "the dump has no pauses, limits and endpoints of operators"
  )

const asLanes = (lanes: ReadonlyArray<OperatorChoices.ChosenLane>): string =>
  table(
    ["LANE", "STATE", "SINCE"],
    lanes.map(({ lane, sinceMs, state }) => [lane, state, iso(sinceMs)]),
    "all lanes are active"
  )

const shown = ({ choices, file, lanes, restoredToMs, tables }: typeof Restored.Type): string =>
  [
    facts([
      ["file", file],
      ["tables", String(tables)],
      ["restored to", iso(restoredToMs)]
    ]),
    asChoices(choices),
    asLanes(lanes),
    "all sweeps are paused. Repeat the pauses, limits, endpoints and states of lanes that were chosen later, then run `sweep operate resume all`",
    "payouts are refused until `sweep reconcile` has run"
  ].join("\n\n")

/**
 * Records the restore with the state of the lanes, before a service changes it. Returns what operators had chosen at its moment. The dump
 * has nothing from after it was begun, whatever a service that still runs has written since.
 */
const record = Effect.fnUntraced(function* (createdAtMs: number | undefined) {
  const sql = yield* PgClient.PgClient
  yield* OrchestratorMigrated.migrate
  yield* BuilderMigrated.migrate
  const written = (yield* Restores.lastWrite(sql)) ?? (yield* Clock.currentTimeMillis)
  const restoredToMs = Math.min(written, createdAtMs ?? written)
  const restored = yield* OperatorChoices.read(sql)
  yield* sql.withTransaction(
    Effect.andThen(LostTransactions.keepLanes(sql, restoredToMs), Restores.record(sql, restoredToMs))
  )
  return { restoredToMs, ...restored }
}, Database.mapped("record the restore"))

/** A service that runs would send sweeps by the restored data before they are paused. */
const requireStopped = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const sessions = yield* DatabaseFacts.connected(url)
  if (sessions.length === 0) return
  return yield* new UsageError({
    detail: `services are connected to the database, and it was not changed: ${sessions.join("; ")}. Stop all replicas of both services, and run this again`
  })
})

export const restoreCommand = Command.make(
  "restore",
  { file: Argument.String("file").pipe(Argument.withDescription("The dump, as `backup` wrote it")), json },
  ({ file, json }) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      if (!(yield* fs.exists(file))) return yield* new UsageError({ detail: `there is no file ${file}` })
      const url = yield* DatabaseFacts.directUrl
      const { major, schemas } = yield* DatabaseFacts.read(url)
      if (schemas.length > 0) {
        return yield* new UsageError({
          detail: `the database has the schema ${schemas.join(" and the schema ")} already, and was not changed. Create an empty database, and set DATABASE_URL to it`
        })
      }
      yield* requireStopped(url)
      const { command } = yield* PostgresTools.find("pg_restore", major)
      const { createdAtMs, tables } = yield* PostgresTools.contents(command, file)
      yield* PostgresTools.restore(command, url, file)
      const recorded = yield* record(createdAtMs).pipe(Effect.provide(Database.layer({ url, poolSize: 2 })))
      yield* printed(Restored, { file, tables: tables.length, ...recorded }, json, shown)
    }).pipe(Effect.scoped)
).pipe(
  Command.withDescription(
    "Restore a dump into an empty database, all of it or nothing. Pauses all sweeps, and refuses payouts until it is reconciled. Stop the services first"
  ),
  Command.withExamples([
    { command: "sweep restore sweep.dump", description: "Restore into the empty database of DATABASE_URL" }
  ])
)
