/** `./sweep restore`: restores a dump into an empty database, and stops payouts until it is reconciled. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, FileSystem, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import * as BuilderMigrated from "../adapters/sql/builder/Migrated.ts"
import * as Restores from "../adapters/sql/builder/Restores.ts"
import * as OrchestratorMigrated from "../adapters/sql/orchestrator/Migrated.ts"
import * as LostTransactions from "../adapters/sql/orchestrator/LostTransactions.ts"
import * as Database from "../adapters/sql/shared/Database.ts"
import * as DatabaseFacts from "./DatabaseFacts.ts"
import { json, printed } from "./Output.ts"
import * as PostgresTools from "./PostgresTools.ts"
import { facts } from "./Table.ts"
import { UsageError } from "./UsageError.ts"

const Restored = Schema.Struct({
  file: Schema.String,
  tables: Schema.Int,
  /** Last write of the services that the database shows, in UNIX milliseconds. */
  restoredToMs: Schema.Int
})

const shown = ({ file, restoredToMs, tables }: typeof Restored.Type): string =>
  [
    facts([
      ["file", file],
      ["tables", String(tables)],
      ["restored to", new Date(restoredToMs).toISOString()]
    ]),
    "payouts are refused until `sweep reconcile` has run"
  ].join("\n")

/** Records the restore with the state of the lanes, before a service changes it. */
const record = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* OrchestratorMigrated.migrate
  yield* BuilderMigrated.migrate
  const restoredToMs = (yield* Restores.lastWrite(sql)) ?? (yield* Clock.currentTimeMillis)
  yield* sql.withTransaction(
    Effect.andThen(LostTransactions.keepLanes(sql, restoredToMs), Restores.record(sql, restoredToMs))
  )
  return restoredToMs
}).pipe(Database.mapped("record the restore"))

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
      const { command } = yield* PostgresTools.find("pg_restore", major)
      const tables = yield* PostgresTools.tables(command, file)
      yield* PostgresTools.restore(command, url, file)
      const restoredToMs = yield* record.pipe(Effect.provide(Database.layer({ url, poolSize: 2 })))
      yield* printed(Restored, { file, tables: tables.length, restoredToMs }, json, shown)
    }).pipe(Effect.scoped)
).pipe(
  Command.withDescription(
    "Restore a dump into an empty database, all of it or nothing, and refuse payouts until it is reconciled. Stop the services first"
  ),
  Command.withExamples([
    { command: "sweep restore sweep.dump", description: "Restore into the empty database of DATABASE_URL" }
  ])
)
