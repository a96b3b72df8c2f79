/** `./sweep backup`: writes both schemas into a file that is known to be readable. */
import { Clock, Effect, FileSystem, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import * as DatabaseFacts from "./DatabaseFacts.ts"
import { json, printed } from "./Output.ts"
import * as PostgresTools from "./PostgresTools.ts"
import { facts } from "./Table.ts"
import { UsageError } from "./UsageError.ts"

const Backup = Schema.Struct({
  file: Schema.String,
  /** The dump has everything that was committed before this time of the database, in UNIX milliseconds. */
  momentMs: Schema.Int,
  bytes: Schema.BigIntFromString,
  tables: Schema.Int,
  serverMajor: Schema.Int,
  pgDumpMajor: Schema.Int
})

/** Tables without which a dump has not the books. */
const REQUIRED = ["builder.ledger_entries", "orchestrator.relay_transactions"]

const nameOf = (millis: number): string =>
  `sweep-${new Date(millis)
    .toISOString()
    .replaceAll(/[-:]/g, "")
    .replace(/\.\d+Z$/, "Z")}.dump`

const shown = ({ bytes, file, momentMs, pgDumpMajor, serverMajor, tables }: typeof Backup.Type): string =>
  facts([
    ["file", file],
    ["moment", new Date(momentMs).toISOString()],
    ["size", `${bytes} bytes`],
    ["tables", String(tables)],
    ["versions", `server ${serverMajor}, pg_dump ${pgDumpMajor}`]
  ])

/** Dumps into a file beside the wanted one, reads that back, and gives it the wanted name. */
const write = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const url = yield* DatabaseFacts.directUrl
  const { isStandby, major, nowMs, schemas } = yield* DatabaseFacts.read(url)
  if (isStandby) {
    return yield* new UsageError({
      detail:
        "the server is a standby in recovery, whose data may be old. Set DATABASE_URL, and DATABASE_LISTEN_URL if you use it, to the primary"
    })
  }
  const absent = PostgresTools.SCHEMAS.filter((schema) => !schemas.includes(schema))
  if (absent.length > 0) {
    return yield* new UsageError({
      detail: `the database has no schema ${absent.join(", ")}. Check DATABASE_URL, or run \`sweep migrate\``
    })
  }
  const dump = yield* PostgresTools.find("pg_dump", major)
  const restore = yield* PostgresTools.find("pg_restore", dump.major)
  const partial = `${file}.partial`
  return yield* Effect.gen(function* () {
    // The dump has API key hashes and webhook secrets. pg_dump keeps the mode of a file that exists.
    yield* fs.writeFileString(partial, "", { mode: 0o600 })
    yield* PostgresTools.dump(dump.command, url, partial)
    const tables = yield* PostgresTools.tables(restore.command, partial)
    const missing = REQUIRED.filter((table) => !tables.includes(table))
    if (missing.length > 0) {
      return yield* new PostgresTools.ToolFailed({
        detail: `the dump lacks the tables ${missing.join(", ")}. Check the rights of the role of DATABASE_URL`
      })
    }
    const { size } = yield* fs.stat(partial)
    yield* fs.rename(partial, file)
    return { file, momentMs: nowMs, bytes: size, tables: tables.length, serverMajor: major, pgDumpMajor: dump.major }
  }).pipe(Effect.onError(() => Effect.ignore(fs.remove(partial, { force: true }))))
})

const output = Flag.String("output").pipe(
  Flag.withDescription("File to write. Default: sweep-<time>.dump in the working directory"),
  Flag.optional
)

export const backupCommand = Command.make("backup", { json, output }, ({ json, output }) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const now = yield* Clock.currentTimeMillis
    const file = Option.getOrElse(output, () => nameOf(now))
    if (yield* fs.exists(file)) return yield* new UsageError({ detail: `${file} exists. Choose another --output` })
    yield* printed(Backup, yield* write(file), json, shown)
  }).pipe(Effect.scoped)
).pipe(
  Command.withDescription(
    "Write a dump of the database while the services run, and check that it can be read. Needs PostgreSQL's pg_dump and pg_restore"
  ),
  Command.withExamples([
    { command: "sweep backup --output sweep.dump", description: "Dump the database of DATABASE_URL" }
  ])
)
