/** The history of an old month is judged by an index, with any number of events. */
import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schedule } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as KeptDataSql from "../../../../src/adapters/sql/orchestrator/KeptData.ts"
import * as Database from "../../../../src/adapters/sql/shared/Database.ts"
import { KeptData } from "../../../../src/ports/orchestrator/KeptData.ts"
import { reads } from "../../../support/TableReads.ts"
import { TestDatabase, migratedDatabaseUrl } from "../../../support/Postgres.ts"

const ROWS = 200_000

/** Two connections: one is idle, the other runs every statement and so has all of its statistics. */
const oneConnection = Layer.unwrap(
  Effect.map(TestDatabase, ({ url }) =>
    KeptDataSql.layer.pipe(Layer.provideMerge(Database.layer({ url: Redacted.make(url), poolSize: 2 })))
  )
).pipe(Layer.provide(migratedDatabaseUrl))

/** January 2020 with its events, the last of which came in February. */
const filled = Effect.gen(function* () {
  const sql = yield* Database.unlimited
  yield* sql`SELECT orchestrator.add_intent_partitions('2020-01-15T00:00Z', '2020-01-15T00:00Z')`
  yield* sql`INSERT INTO orchestrator.intent_history_2020_01 (number, status, at)
    SELECT orchestrator.first_number(at) | n, 'submitted', at
    FROM generate_series(1, ${ROWS}::integer) AS n
    CROSS JOIN LATERAL (SELECT timestamptz '2020-01-01T00:00Z' + make_interval(secs => 10 * n) AS at) AS t`
  yield* sql`INSERT INTO orchestrator.intent_history (number, status, at)
    VALUES (orchestrator.first_number('2020-01-31T00:00Z'), 'delivered', '2020-02-10T00:00Z')`
}).pipe(Effect.scoped, Effect.provide(Reactivity.layer))

it.live("the youngest event of an old month is found by an index", () =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const { dropMonths } = yield* KeptData
    yield* filled
    const dropBefore = (day: string) => dropMonths(Date.parse(`${day}T00:00Z`))
    assert.strictEqual(yield* dropBefore("2020-02-05"), 0)
    // The connection that built the index reports its scans when it is idle, which may be during a later look.
    const again = yield* Effect.repeat(reads(dropBefore("2020-02-05")), {
      until: ({ scanned }) => scanned.length === 0,
      schedule: Schedule.spaced("100 millis"),
      times: 50
    })
    assert.deepStrictEqual(again.scanned, [])
    assert.strictEqual(again.value, 0)
    const plan = yield* sql<{ "QUERY PLAN": string }>`
      EXPLAIN SELECT FROM orchestrator.intent_history_2020_01 WHERE at >= '2020-02-05T00:00Z'`
    assert.notInclude(JSON.stringify(plan), "Seq Scan")
    assert.strictEqual(yield* dropBefore("2020-02-11"), 1)
  }).pipe(Effect.provide(oneConnection))
)

it.live("an index whose building was interrupted is built again", () =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const { dropMonths } = yield* KeptData
    yield* sql`SELECT orchestrator.add_intent_partitions('2020-01-15T00:00Z', '2020-01-15T00:00Z')`
    yield* sql`CREATE INDEX intent_history_2020_01_at ON orchestrator.intent_history_2020_01 USING brin (at)`
    yield* sql`UPDATE pg_index SET indisvalid = false
      WHERE indexrelid = 'orchestrator.intent_history_2020_01_at'::regclass`
    assert.strictEqual(yield* dropMonths(Date.parse("2021-01-01T00:00Z")), 1)
  }).pipe(Effect.provide(oneConnection))
)

it.live("several replicas drop a month once", () =>
  Effect.gen(function* () {
    const { dropMonths } = yield* KeptData
    yield* filled
    const drop = dropMonths(Date.parse("2021-01-01T00:00Z"))
    yield* Effect.all([drop, drop, drop], { concurrency: "unbounded" })
    yield* drop
    const sql = yield* PgClient.PgClient
    assert.deepStrictEqual(yield* sql`SELECT to_regclass('orchestrator.intent_history_2020_01')::text AS left`, [
      { left: null }
    ])
  }).pipe(Effect.provide(oneConnection))
)
