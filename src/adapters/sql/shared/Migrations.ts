/** Migrates a service's own schema. Any number of replicas may run it at once. */
import type { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Result } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"
import type { StoreUnavailable } from "../../../ports/shared/Store.ts"
import { mapped, unlimited } from "./Database.ts"

type Schema = "orchestrator" | "builder"

type Migrations = Readonly<Record<string, Effect.Effect<void, unknown, SqlClient.SqlClient>>>

const runMigrator = Migrator.make({})

/**
 * Longest wait for the lock of a table, as PostgreSQL reads it. Statements of the services on that table wait behind it, and fail after 3
 * seconds. Longer than the second after which an automatic vacuum gives way.
 */
const LOCK_TIMEOUT = "2s"

/** Pause until the next attempt to lock the tables, in which statements of the services run. */
const PAUSE = Duration.seconds(5)

/** True if another session kept the lock of a table for {@link LOCK_TIMEOUT}. */
const isLockTimeout = (error: unknown): boolean =>
  error instanceof Migrator.MigrationError
    ? isLockTimeout(error.cause)
    : isSqlError(error) && error.reason._tag === "LockTimeoutError"

/** True if a migration is missing. The migrator itself would lock its table to find out. */
const isBehind = Effect.fnUntraced(function* (sql: PgClient.PgClient, schema: Schema, migrations: Migrations) {
  const table = `${schema}.migrations`
  const [known] = yield* sql<{ exists: boolean }>`SELECT to_regclass(${table}) IS NOT NULL AS exists`
  if (known?.exists !== true) return true
  const [last] = yield* sql<{ id: number | null }>`SELECT max(migration_id) AS id FROM ${sql(table)}`
  return Object.keys(migrations).some((name) => Number.parseInt(name, 10) > (last?.id ?? 0))
})

/** Logs which sessions use tables of the schema. Those that began a moment ago are not what a migration waits for. */
const logWait = Effect.fnUntraced(function* (sql: PgClient.PgClient, schema: Schema) {
  const sessions = yield* sql<{ session: string }>`
    SELECT concat(a.pid, ' ', a.application_name) AS session FROM pg_stat_activity a
    WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
      AND coalesce(a.xact_start, '-infinity') < clock_timestamp() - ${LOCK_TIMEOUT}::interval AND EXISTS (
        SELECT FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
        WHERE l.pid = a.pid AND l.granted AND c.relnamespace = to_regnamespace(${schema})
      )
    ORDER BY a.pid`
  yield* Effect.logWarning("migrations.waiting").pipe(
    Effect.annotateLogs({
      schema,
      sessions: sessions.map(({ session }) => session).join(", "),
      hint: "Wait for these sessions, for example a backup, or end them with pg_terminate_backend(pid)"
    })
  )
})

/** Repeats an attempt until no other session keeps the lock of a table. */
const persisting = Effect.fnUntraced(function* <A, E, R>(
  sql: PgClient.PgClient,
  schema: Schema,
  attempt: Effect.Effect<A, E, R>
) {
  for (;;) {
    const result = yield* Effect.result(attempt)
    if (Result.isSuccess(result)) return result.success
    if (!isLockTimeout(result.failure)) return yield* Effect.fail(result.failure)
    yield* logWait(sql, schema)
    yield* Effect.sleep(PAUSE)
  }
})

/**
 * Runs the pending migrations of `schema` in one transaction and returns their names. The `migrations` table of the
 * schema records them.
 *
 * A migration, or the wait for another replica, may take longer than the limits of queries, so it has a connection of its
 * own without them. The lock is taken before the schema exists, since `CREATE … IF NOT EXISTS` is not safe against concurrent runs of
 * itself. A replica that waited for the lock finds nothing to do.
 *
 * If another session keeps a table locked, all locks of tables are given back before the next attempt. The lock of the replicas is kept,
 * so only one of them makes attempts.
 */
export const migrate = Effect.fn("Migrations.migrate")(
  function* (schema: Schema, migrations: Migrations) {
    const sql = yield* unlimited
    const attempt = sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`SELECT set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`
        yield* sql`CREATE SCHEMA IF NOT EXISTS ${sql(schema)}`
        return yield* runMigrator({ loader: Migrator.fromRecord(migrations), table: `${schema}.migrations` }).pipe(
          Effect.provideService(SqlClient.SqlClient, sql)
        )
      })
    )
    const applied = yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(${`token-sweep.migrate.${schema}`}, 0))`
        return (yield* isBehind(sql, schema, migrations)) ? yield* persisting(sql, schema, attempt) : []
      })
    )
    return applied.map(([id, name]) => `${String(id).padStart(4, "0")}_${name}`)
  },
  Effect.scoped,
  Effect.provide(Reactivity.layer),
  (effect): Effect.Effect<ReadonlyArray<string>, Migrator.MigrationError | StoreUnavailable, PgClient.PgClient> =>
    mapped("migrate")(effect)
)
