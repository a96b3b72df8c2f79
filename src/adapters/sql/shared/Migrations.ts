/** Brings a service's own schema up to date. Safe to run by any number of replicas at once. */
import { Effect } from "effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import type { StoreUnavailable } from "../../../ports/shared/Store.ts"
import { guarded } from "./Database.ts"

const runMigrator = Migrator.make({})

/**
 * Runs the migrations that `schema` still lacks, all or none, and returns their names. Which ones ran is noted in the
 * schema's own `migrations` table.
 *
 * The lock is taken before the schema exists: Postgres' `CREATE … IF NOT EXISTS` is not safe against itself. A replica that
 * waits for it finds nothing left to do.
 */
export const migrate = Effect.fn("Migrations.migrate")(
  function* (
    schema: "orchestrator" | "builder",
    migrations: Readonly<Record<string, Effect.Effect<void, unknown, SqlClient.SqlClient>>>
  ) {
    const sql = yield* SqlClient.SqlClient
    const applied = yield* sql.withTransaction(
      Effect.gen(function* () {
        // A migration, or waiting for another replica's, may take longer than a query may.
        yield* sql`SET LOCAL statement_timeout = 0`
        yield* sql`SET LOCAL idle_in_transaction_session_timeout = 0`
        yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(${`token-sweep.migrate.${schema}`}, 0))`
        yield* sql`CREATE SCHEMA IF NOT EXISTS ${sql(schema)}`
        return yield* runMigrator({ loader: Migrator.fromRecord(migrations), table: `${schema}.migrations` })
      })
    )
    return applied.map(([id, name]) => `${String(id).padStart(4, "0")}_${name}`)
  },
  (effect): Effect.Effect<ReadonlyArray<string>, Migrator.MigrationError | StoreUnavailable, SqlClient.SqlClient> =>
    guarded("migrate")(effect)
)
