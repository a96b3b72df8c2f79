/** Migrates a service's own schema. Any number of replicas may run it at once. */
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import type { StoreUnavailable } from "../../../ports/shared/Store.ts"
import { mapped, unlimited } from "./Database.ts"

const runMigrator = Migrator.make({})

/**
 * Runs the pending migrations of `schema` in one transaction and returns their names. The `migrations` table of the
 * schema records them.
 *
 * A migration, or the wait for another replica, may take longer than the limits of queries, so it has a connection of its
 * own without them. The lock is taken before the schema exists, since `CREATE … IF NOT EXISTS` is not safe against concurrent runs of
 * itself. A replica that waited for the lock finds nothing to do.
 */
export const migrate = Effect.fn("Migrations.migrate")(
  function* (
    schema: "orchestrator" | "builder",
    migrations: Readonly<Record<string, Effect.Effect<void, unknown, SqlClient.SqlClient>>>
  ) {
    const sql = yield* unlimited
    const applied = yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(${`token-sweep.migrate.${schema}`}, 0))`
        yield* sql`CREATE SCHEMA IF NOT EXISTS ${sql(schema)}`
        return yield* runMigrator({ loader: Migrator.fromRecord(migrations), table: `${schema}.migrations` }).pipe(
          Effect.provideService(SqlClient.SqlClient, sql)
        )
      })
    )
    return applied.map(([id, name]) => `${String(id).padStart(4, "0")}_${name}`)
  },
  Effect.scoped,
  Effect.provide(Reactivity.layer),
  (effect): Effect.Effect<ReadonlyArray<string>, Migrator.MigrationError | StoreUnavailable, PgClient.PgClient> =>
    mapped("migrate")(effect)
)
