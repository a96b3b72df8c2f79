/** The database of a dump, of a restore, of migrations or of a reconciliation. */
import { PgClient } from "@effect/sql-pg"
import { Console, Duration, Effect, Option, type Redacted, Result } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { APPLICATION_NAME, mapped } from "../adapters/sql/shared/Database.ts"
import * as Identity from "../adapters/sql/shared/Identity.ts"
import { OtherDatabase } from "../adapters/sql/shared/SameDatabase.ts"
import * as Sockets from "../adapters/sql/shared/Sockets.ts"
import { CommonConfig } from "../config/Common.ts"
import { difference } from "../domain/doctor/DatabaseIdentity.ts"
import { databaseUrl } from "./DatabaseUrl.ts"
import { SCHEMAS } from "./PostgresTools.ts"

/** A proxy may accept a statement and wait for its database without an end. */
const LIMIT = Duration.seconds(5)

/** Prepares nothing by name, since a proxy may give each statement another connection. */
const session = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const stream = yield* Sockets.make(url, LIMIT)
  return yield* PgClient.make({ url, stream, maxConnections: 1, connectTimeout: LIMIT, prepare: false })
})

/** Reads which database a URL leads to. */
export const identity = Effect.fnUntraced(
  function* (url: Redacted.Redacted) {
    return yield* Identity.read(yield* session(url))
  },
  Effect.scoped,
  Effect.provide(Reactivity.layer)
)

const identityOf = (setting: string, url: Redacted.Redacted) => mapped(`read the database of ${setting}`)(identity(url))

/**
 * The URL without a proxy, which PostgreSQL's own programs and long statements need. Fails if it leads to another database than
 * DATABASE_URL, which the services use: after a failover, for example, it may name the former primary. If DATABASE_URL cannot be read, it
 * warns: a backup is needed most while the proxy is away.
 */
export const directUrl = Effect.gen(function* () {
  const { databaseListenUrl: direct, databaseUrl: configured } = yield* CommonConfig
  if (Option.isNone(direct)) return yield* databaseUrl(configured)
  if (Option.isNone(configured)) return direct.value
  const [used, seen] = yield* Effect.all(
    [Effect.result(identityOf("DATABASE_URL", configured.value)), identityOf("DATABASE_LISTEN_URL", direct.value)],
    { concurrency: 2 }
  )
  if (Result.isFailure(used)) {
    yield* Console.error(
      `warning: the database of DATABASE_URL cannot be read (${used.failure.detail}). The command uses that of DATABASE_LISTEN_URL and did not compare them. Check that it is the database of the services`
    )
    return direct.value
  }
  const other = difference(used.success, seen)
  if (other === undefined) return direct.value
  return yield* new OtherDatabase({ detail: other })
})

/** Processes that are connected to the database as the services connect, by their address and process id. */
export const connected = Effect.fnUntraced(
  function* (url: Redacted.Redacted) {
    const sql = yield* session(url)
    const rows = yield* sql<{ session: string }>`
      SELECT concat(application_name, ' of ', coalesce(host(client_addr), 'this machine'), ', process ', pid) AS session
      FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND application_name = ${APPLICATION_NAME} ORDER BY 1`
    return rows.map((row) => row.session)
  },
  Effect.scoped,
  Effect.provide(Reactivity.layer),
  mapped("read the sessions of the database")
)

/** Major version of the server, its time, if it is in recovery, and those of the services' schemas that the database has. */
export const read = Effect.fnUntraced(
  function* (url: Effect.Success<typeof directUrl>) {
    const sql = yield* session(url)
    const [row] = yield* sql<{ version: number; now: Date; standby: boolean; schemas: ReadonlyArray<string> }>`
      SELECT current_setting('server_version_num')::int AS version, now() AS now, pg_is_in_recovery() AS standby,
        ARRAY(SELECT nspname::text FROM pg_namespace WHERE nspname = ANY(${[...SCHEMAS]}) ORDER BY 1) AS schemas`
    return {
      major: Math.floor((row?.version ?? 0) / 10_000),
      nowMs: row?.now.getTime() ?? 0,
      isStandby: row?.standby === true,
      schemas: row?.schemas ?? []
    }
  },
  Effect.scoped,
  Effect.provide(Reactivity.layer),
  mapped("read the server's version")
)
