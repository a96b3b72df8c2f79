/** Records of one actor, and of operators, are found without the records of a builder who changed something very often. */
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Migrated from "../../../../src/adapters/sql/builder/Migrated.ts"
import * as AuditLogs from "../../../../src/adapters/sql/builder/AuditLog.ts"
import * as Database from "../../../../src/adapters/sql/shared/Database.ts"
import { AuditLog } from "../../../../src/ports/builder/AuditLog.ts"
import { TestDatabase, migratedDatabaseUrl } from "../../../support/Postgres.ts"

/** Records that a page may read, for its 10 records. */
const FEW = 60

const fill = Effect.gen(function* () {
  const sql = yield* Database.unlimited
  yield* sql`INSERT INTO builder.audit_log (at, actor, action, subject, details)
    SELECT now(), CASE WHEN n <= 5 THEN 'ann' WHEN n <= 10 THEN 'builder:beta' ELSE 'builder:alpha' END, 'act', n::text, '{}'::jsonb
    FROM generate_series(1, 100000) AS n`
  yield* sql`VACUUM ANALYZE builder.audit_log`
}).pipe(Effect.scoped, Effect.provide(Reactivity.layer))

/** One connection runs every statement, and so has all of its statistics. */
const filled = Layer.effectDiscard(fill).pipe(
  Layer.provideMerge(
    Layer.unwrap(
      Effect.map(TestDatabase, ({ url }) =>
        AuditLogs.layer.pipe(
          Layer.provideMerge(Migrated.layer),
          Layer.provideMerge(Database.layer({ url: Redacted.make(url), poolSize: 1 }))
        )
      )
    )
  ),
  Layer.provide(migratedDatabaseUrl)
)

const rows = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`SELECT pg_stat_force_next_flush()`
  const [row] = yield* sql<{ rows: string }>`
    SELECT (seq_tup_read + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes i WHERE i.relid = t.relid))::text AS rows
    FROM pg_stat_user_tables t WHERE relname = 'audit_log'`
  return Number(row?.rows ?? 0)
})

layer(filled, { timeout: 120_000, excludeTestServices: true })("a long audit log", (it) => {
  it.effect.each([{ actor: "ann" }, { actor: "builder:beta" }, { by: "operators" as const }, { actor: "nobody" }])(
    "is read by %o from a few rows",
    (filter) =>
      Effect.gen(function* () {
        const audit = yield* AuditLog
        const isNobody = filter.actor === "nobody"
        // PostgreSQL plans a statement for all parameters once it ran a few times.
        for (let run = 0; run < 8; run += 1) {
          const before = yield* rows
          assert.strictEqual((yield* audit.list({ ...filter, limit: 10 })).length, isNobody ? 0 : 5)
          assert.isAtMost((yield* rows) - before, FEW)
        }
      })
  )
})
