/** Reads what `./sweep doctor` judges of a PostgreSQL server, by connections of its own. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Duration, Effect, type Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import type { DatabaseFacts } from "../../../domain/doctor/Database.ts"

export interface Options {
  readonly url: Redacted.Redacted
  /** True if a URL without a proxy is set too, so that `url` may lead to a proxy. */
  readonly isProxied: boolean
  readonly poolSize: number
  /** The services' schemas, with the numbers of the migrations of this release. */
  readonly schemas: ReadonlyArray<{ readonly name: string; readonly known: ReadonlyArray<number> }>
}

/** A timeout that no server has by default, in milliseconds. */
const ASKED_TIMEOUT = 3_217

/** Longest limit of a role that keeps a hanging process from holding locks for long, in milliseconds. */
const MAX_LIMIT = 10_000

const SETTINGS = [
  "fsync",
  "full_page_writes",
  "synchronous_commit",
  "idle_session_timeout",
  "transaction_timeout",
  "lock_timeout"
]

const session = (url: Redacted.Redacted, startupParameters: Readonly<Record<string, string>> = {}) =>
  PgClient.make({
    url,
    maxConnections: 1,
    connectTimeout: "5 seconds",
    applicationName: "token-sweep doctor",
    // A proxy may give each statement another connection.
    prepare: false,
    startupParameters
  })

const backend = (sql: PgClient.PgClient) =>
  Effect.map(sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`, ([row]) => row?.pid)

/** True if two sessions shared a connection of the server, or one of them changed its own. */
const isPooledByTransaction = Effect.fnUntraced(function* (a: PgClient.PgClient, b: PgClient.PgClient) {
  const first = yield* backend(a)
  // While `b` holds a connection of the server, a proxy has to give `a` another one, or gave `b` that of `a`.
  const during = yield* b.withTransaction(Effect.all([backend(b), backend(a)]))
  return during[0] === first || during[1] !== first
})

const readSchema = Effect.fnUntraced(function* (sql: PgClient.PgClient, schema: Options["schemas"][number]) {
  const [row] = yield* sql<{ migrated: boolean; exists: boolean }>`
    SELECT to_regclass(${`${schema.name}.migrations`}) IS NOT NULL AS migrated,
      EXISTS (SELECT FROM pg_namespace WHERE nspname = ${schema.name}) AS exists`
  const applied =
    row?.migrated === true
      ? yield* sql<{ id: number }>`SELECT migration_id AS id FROM ${sql(`${schema.name}.migrations`)} ORDER BY 1`
      : []
  return { ...schema, exists: row?.exists === true, applied: applied.map(({ id }) => Number(id)) }
})

/** Writes as the services' own probe does, where its table exists. */
const writeFailure = Effect.fnUntraced(function* (sql: PgClient.PgClient, schema: string) {
  const [row] = yield* sql<{ readonly: string; probe: boolean }>`
    SELECT current_setting('transaction_read_only') AS readonly, to_regclass(${`${schema}.health_probe`}) IS NOT NULL AS probe`
  if (row?.readonly === "on") return "transactions are read-only"
  if (row?.probe !== true) return undefined
  return yield* sql`
    INSERT INTO ${sql(`${schema}.health_probe`)} (id, probed_at) VALUES (true, now())
    ON CONFLICT (id) DO UPDATE SET probed_at = excluded.probed_at`.pipe(
    Effect.as(undefined),
    Effect.catchTag("SqlError", ({ reason }) => Effect.succeed(`a write failed: ${reason._tag}`))
  )
})

/** The identity of the database, and true if it was restored and not reconciled. Neither without the builder backend's schema. */
const readRestored = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const [row] = yield* sql<{ known: boolean }>`
    SELECT to_regprocedure('builder.is_unreconciled()') IS NOT NULL AS known`
  if (row?.known !== true) return { isUnreconciled: false, identity: undefined }
  const [found] = yield* sql<{ unreconciled: boolean; identity: string }>`
    SELECT builder.is_unreconciled() AS unreconciled, builder.current_identity() AS identity`
  return { isUnreconciled: found?.unreconciled === true, identity: found?.identity }
})

/** Reads the facts. Fails if the server cannot be reached or refuses a query. */
export const read = Effect.fnUntraced(
  function* ({ isProxied, poolSize, schemas, url }: Options) {
    const [a, b] = yield* Effect.all([session(url), session(url)], { concurrency: 2 })
    const limited = yield* session(url, isProxied ? {} : { statement_timeout: String(ASKED_TIMEOUT) })
    const pooled = yield* isPooledByTransaction(a, b)
    const [took] = yield* Effect.timed(a`SELECT 1`)
    const before = yield* Clock.currentTimeMillis
    const [server] = yield* a<{
      name: string
      version: number
      replica: boolean
      encoding: string
      now: number
      may_create: boolean
      connections: number
      used: number
    }>`
      SELECT current_database() AS name, current_setting('server_version_num')::int AS version,
        pg_is_in_recovery() AS replica, current_setting('server_encoding') AS encoding,
        (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now,
        has_database_privilege(current_database(), 'CREATE') AS may_create,
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS connections,
        (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::int AS used`
    const after = yield* Clock.currentTimeMillis
    const settings = yield* a<{ name: string; setting: string }>`
      SELECT name, setting FROM pg_settings WHERE name = ANY(${SETTINGS})`
    const [timeout] = yield* limited<{ value: string }>`
      SELECT setting AS value FROM pg_settings WHERE name = 'statement_timeout'`
    const [idle] = yield* limited<{ value: string }>`
      SELECT setting AS value FROM pg_settings WHERE name = 'idle_in_transaction_session_timeout'`
    const isLimited = [timeout, idle].every((row) => Number(row?.value ?? 0) > 0 && Number(row?.value) <= MAX_LIMIT)
    return {
      name: server?.name ?? "",
      version: server?.version ?? 0,
      latencyMillis: Duration.toMillis(took),
      isReplica: server?.replica === true,
      writeFailure: server?.replica === true ? undefined : yield* writeFailure(a, schemas[0]?.name ?? "orchestrator"),
      mayCreate: server?.may_create === true,
      ...(yield* readRestored(a)),
      schemas: yield* Effect.forEach(schemas, (schema) => readSchema(a, schema)),
      settings: Object.fromEntries(settings.map(({ name, setting }) => [name, setting])),
      encoding: server?.encoding ?? "",
      maxConnections: server?.connections ?? 0,
      // Three of them are those of this command.
      usedConnections: Math.max(0, (server?.used ?? 0) - 3),
      poolSize,
      isPooledByTransaction: pooled,
      isProxied,
      takesParameters: isProxied ? isLimited : timeout?.value === String(ASKED_TIMEOUT),
      clockOffsetMillis: (server?.now ?? 0) - (before + after) / 2
    } satisfies DatabaseFacts
  },
  Effect.scoped,
  Effect.provide(Reactivity.layer)
)
