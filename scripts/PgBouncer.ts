/** PgBouncer in transaction mode before a local PostgreSQL, as docs/how-to/run-many-replicas.md sets it up. */
import { Effect, FileSystem, Option, Path, Redacted } from "effect"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Ports from "../src/devnet/Ports.ts"
import type { PostgresServer } from "../src/devnet/Postgres.ts"
import * as Subprocess from "../src/devnet/Subprocess.ts"

/** Role of the connections of PgBouncer, with the limits that it passes on from no client. */
const ROLE = "sweep_proxied"

/** Account that it runs as if root starts it, since it refuses to run as root. */
const NOBODY = 65_534

const limitedRole = (server: PostgresServer, jit: "on" | "off") =>
  Effect.gen(function* () {
    const sql = yield* PgClient.makeClient({ url: Redacted.make(server.url("postgres")) })
    yield* sql`DROP ROLE IF EXISTS ${sql(ROLE)}`
    yield* sql`CREATE ROLE ${sql(ROLE)} LOGIN SUPERUSER`
    yield* sql`ALTER ROLE ${sql(ROLE)} SET statement_timeout = '3s'`
    yield* sql`ALTER ROLE ${sql(ROLE)} SET idle_in_transaction_session_timeout = '6s'`
    yield* sql`ALTER ROLE ${sql(ROLE)} SET jit = ${sql.literal(jit)}`
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))

/** The version that a server tells. */
export const versionOf = (server: PostgresServer) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.makeClient({ url: Redacted.make(server.url("postgres")) })
    const [row] = yield* sql<{ version: string }>`SELECT current_setting('server_version') AS version`
    return row?.version ?? "unknown"
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))

const settings = (server: PostgresServer, port: number) => `[databases]
* = host=127.0.0.1 port=${server.port} user=${ROLE}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 20
max_client_conn = 500
`

/** The path of the program, or undefined if it is not installed. */
export const program = (): string | undefined => Bun.which("pgbouncer") ?? undefined

/**
 * Starts it until the scope closes, and returns its URL without a database, and its version. `jit` is what its role says about compiled
 * plans. Default: `off`, as operators are told to set it.
 */
export const start = Effect.fnUntraced(function* (
  installed: string,
  server: PostgresServer,
  jit: "on" | "off" = "off"
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  yield* limitedRole(server, jit)
  const port = yield* Ports.free
  const directory = yield* fs.makeTempDirectoryScoped({ prefix: "sweep-pgbouncer-" })
  const file = path.join(directory, "pgbouncer.ini")
  yield* fs.writeFileString(file, settings(server, port))
  yield* fs.chmod(directory, 0o755)
  const unprivileged =
    process.getuid?.() === 0 ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--"] : []
  const [command = installed, ...args] = [...unprivileged, installed, file]
  const { ready: version } = yield* Subprocess.start({
    name: "pgbouncer",
    command,
    args,
    ready: (line) => Option.fromUndefinedOr(/process up: PgBouncer (\S+?),/.exec(line)?.[1])
  })
  return { url: `postgres://postgres@127.0.0.1:${port}`, version }
})
