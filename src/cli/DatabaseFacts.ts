/** The database of a dump, of a restore, of migrations or of a reconciliation. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Option, type Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { mapped } from "../adapters/sql/shared/Database.ts"
import { CommonConfig } from "../config/Common.ts"
import { type DatabaseIdentity, difference } from "../domain/doctor/DatabaseIdentity.ts"
import { databaseUrl } from "./DatabaseUrl.ts"
import { SCHEMAS } from "./PostgresTools.ts"
import { UsageError } from "./UsageError.ts"

/** Prepares nothing by name, since a proxy may give each statement another connection. */
const session = (url: Redacted.Redacted) =>
  PgClient.make({ url, maxConnections: 1, connectTimeout: "5 seconds", prepare: false })

/** Reads which database a URL leads to. */
export const identity = Effect.fnUntraced(
  function* (url: Redacted.Redacted) {
    const sql = yield* session(url)
    const [row] = yield* sql<{ database: string; oid: string; started: string; readable: boolean }>`
      SELECT current_database() AS database, (SELECT oid::text FROM pg_database WHERE datname = current_database()) AS oid,
        extract(epoch FROM pg_postmaster_start_time())::text AS started,
        has_function_privilege('pg_control_system()', 'EXECUTE') AS readable`
    // Managed servers may refuse the function, also to a role that has the right.
    const [cluster] = yield* row?.readable === true
      ? Effect.orElseSucceed(
          sql<{ id: string }>`SELECT system_identifier::text AS id FROM pg_control_system()`,
          () => []
        )
      : Effect.succeed([])
    return {
      database: row?.database ?? "",
      oid: row?.oid ?? "",
      systemIdentifier: cluster?.id,
      startedAt: row?.started ?? ""
    } satisfies DatabaseIdentity
  },
  Effect.scoped,
  Effect.provide(Reactivity.layer)
)

/** Says where the direct URL leads instead of the database of the services. Undefined if both are the same. */
export const otherDatabase = Effect.fnUntraced(function* (used: Redacted.Redacted, direct: Redacted.Redacted) {
  const [one, other] = yield* Effect.all([identity(used), identity(direct)], { concurrency: 2 })
  return difference(one, other)
})

/**
 * The URL without a proxy, which PostgreSQL's own programs and long statements need. Fails if it leads to another database than
 * DATABASE_URL, which the services use: after a failover, for example, it may name the former primary.
 */
export const directUrl = Effect.gen(function* () {
  const { databaseListenUrl: direct, databaseUrl: configured } = yield* CommonConfig
  if (Option.isNone(direct)) return yield* databaseUrl(configured)
  if (Option.isNone(configured)) return direct.value
  const other = yield* otherDatabase(configured.value, direct.value).pipe(
    mapped("compare DATABASE_URL with DATABASE_LISTEN_URL")
  )
  if (other === undefined) return direct.value
  return yield* new UsageError({
    detail: `DATABASE_LISTEN_URL leads to another database than DATABASE_URL: ${other}. Set it to the database of DATABASE_URL, without the proxy`
  })
})

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
