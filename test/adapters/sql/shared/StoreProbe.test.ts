/** The probe of health checks writes, and keeps one row. */
import { PgClient } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import * as BuilderMigrated from "../../../../src/adapters/sql/builder/Migrated.ts"
import * as Database from "../../../../src/adapters/sql/shared/Database.ts"
import * as StoreProbe from "../../../../src/adapters/sql/shared/StoreProbe.ts"
import * as OrchestratorMigrated from "../../../../src/adapters/sql/orchestrator/Migrated.ts"
import { DatabaseTime, StoreProbe as Probe } from "../../../../src/ports/shared/Store.ts"
import { TestDatabase, testDatabase } from "../../../support/Postgres.ts"

const SERVICES = [
  ["orchestrator", OrchestratorMigrated.migrate],
  ["builder", BuilderMigrated.migrate]
] as const

for (const [schema, migrate] of SERVICES) {
  layer(testDatabase)(`the probe of the ${schema}'s database`, (it) => {
    it.effect("tells the database's time", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const context = yield* Layer.build(StoreProbe.layer(schema))
        const told = yield* Context.get(context, DatabaseTime)
        const [row] = yield* sql<{ at: Date }>`SELECT clock_timestamp() AS at`
        const elapsed = (row?.at.getTime() ?? 0) - (told ?? 0)
        expect(elapsed).toBeGreaterThanOrEqual(0)
        expect(elapsed).toBeLessThan(60_000)
      })
    )

    it.effect("succeeds as long as the database can be written to, and adds no rows", () =>
      Effect.gen(function* () {
        yield* migrate
        const sql = yield* PgClient.PgClient
        const { url } = yield* TestDatabase
        // Connections that are made now, with the settings of the database now.
        const probe = Effect.flatMap(
          Layer.build(
            StoreProbe.layer(schema).pipe(Layer.provide(Database.layer({ url: Redacted.make(url), poolSize: 1 })))
          ),
          (context) => Context.get(context, Probe)
        ).pipe(Effect.scoped)
        yield* probe
        yield* probe
        expect(yield* sql`SELECT count(*)::int AS rows FROM ${sql(`${schema}.health_probe`)}`).toEqual([{ rows: 1 }])

        const [name] = yield* sql<{ name: string }>`SELECT current_database() AS name`
        yield* sql`ALTER DATABASE ${sql(name?.name ?? "")} SET default_transaction_read_only = on`
        expect(yield* Effect.flip(probe)).toMatchObject({ _tag: "StoreUnavailable", operation: "health.probe" })
      })
    )
  })
}
