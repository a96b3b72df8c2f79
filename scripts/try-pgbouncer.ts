/**
 * Sweeps through PgBouncer in transaction mode: `./sweep test pgbouncer`. The servers are the embedded PostgreSQL and those that are installed.
 * Where a server can compile plans (`jit`), it runs also with a role that does not forbid it, since operators forget that.
 */
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import { Console, Effect, Logger } from "effect"
import * as Postgres from "../src/devnet/Postgres.ts"
import * as InstalledPostgres from "./InstalledPostgres.ts"
import * as PgBouncer from "./PgBouncer.ts"
import * as TestRows from "./TestRows.ts"

const swept = Effect.fnUntraced(function* (pgbouncer: string, installed?: InstalledPostgres.Installed) {
  const packageDirectory = installed === undefined ? undefined : yield* InstalledPostgres.packageOf(installed)
  const server = yield* Postgres.start({ durable: false, packageDirectory })
  const name = `${installed === undefined ? "embedded" : "installed"} PostgreSQL ${yield* PgBouncer.versionOf(server)}`
  const jits = installed?.hasJit === true ? (["off", "on"] as const) : (["off"] as const)
  return yield* Effect.forEach(jits, (jit) =>
    Effect.gen(function* () {
      const { url, version } = yield* PgBouncer.start(pgbouncer, server, jit)
      return yield* TestRows.row(`${name} by PgBouncer ${version}, jit of the role ${jit}`, TestRows.SWEEPS, {
        TEST_POSTGRES_URL: server.url("").replace(/\/$/, ""),
        TEST_PGBOUNCER_URL: url
      })
    }).pipe(Effect.scoped)
  )
}, Effect.scoped)

const main = Effect.gen(function* () {
  const pgbouncer = PgBouncer.program()
  if (pgbouncer === undefined) {
    return yield* new TestRows.NotTried({
      detail: "pgbouncer is not installed. Install PgBouncer 1.18 or later, as Debian's package pgbouncer"
    })
  }
  const installed = yield* InstalledPostgres.find
  // One after another: each run uses all cores.
  const rows = yield* Effect.forEach([undefined, ...installed], (each) => swept(pgbouncer, each))
  yield* TestRows.judged(rows.flat())
})

main.pipe(
  Effect.tapError(({ message }) => Console.error(`pgbouncer: ${message}`)),
  Effect.provide([BunServices.layer, Logger.layer([])]),
  BunRuntime.runMain({ disableErrorReporting: true })
)
