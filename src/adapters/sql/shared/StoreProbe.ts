/** {@link StoreProbe} and {@link DatabaseTime} in PostgreSQL. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { DatabaseTime, StoreProbe } from "../../../ports/shared/Store.ts"
import { guarded } from "./Database.ts"

/** An update of one row, so that a read-only database or a full disk is noticed. */
const probe = (schema: "orchestrator" | "builder") =>
  Layer.effect(
    StoreProbe,
    Effect.map(PgClient.PgClient, (sql) =>
      sql`
        INSERT INTO ${sql(`${schema}.health_probe`)} (id, probed_at) VALUES (true, now())
        ON CONFLICT (id) DO UPDATE SET probed_at = excluded.probed_at`.pipe(
        Effect.asVoid,
        guarded("health.probe"),
        Effect.withSpan("StoreProbe")
      )
    )
  )

const time = Layer.effect(
  DatabaseTime,
  Effect.map(PgClient.PgClient, (sql) =>
    sql<{ readonly at: Date }>`SELECT clock_timestamp() AS at`.pipe(
      Effect.map(([row]) => row?.at.getTime()),
      guarded("health.time"),
      Effect.withSpan("DatabaseTime")
    )
  )
)

/** Requires the table `health_probe` in the service's schema, see `Migrated.layer`. */
export const layer = (schema: "orchestrator" | "builder") => Layer.merge(probe(schema), time)
