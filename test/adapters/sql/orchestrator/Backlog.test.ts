/** The age of what waits, read from the tables in which it waits. */
import { PgClient } from "@effect/sql-pg"
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as SqlBacklog from "../../../../src/adapters/sql/orchestrator/Backlog.ts"
import * as Database from "../../../../src/adapters/sql/shared/Database.ts"
import { Backlog, MOST_COUNTED } from "../../../../src/ports/orchestrator/Backlog.ts"
import { migratedDatabase, migratedDatabaseUrl, TestDatabase } from "../../../support/Postgres.ts"
import { reads } from "../../../support/TableReads.ts"

const report = Effect.flatMap(Backlog, ({ intents, outbox }) => Effect.all({ intents, outbox }))

layer(SqlBacklog.layer.pipe(Layer.provideMerge(migratedDatabase)), { excludeTestServices: true })("Backlog", (it) => {
  it.effect("is nothing in an empty database", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* report, {
        intents: { quoted: undefined, queued: undefined, settled_source: undefined },
        outbox: { ledger: { waiting: 0, oldestMs: undefined }, events: { waiting: 0, oldestMs: undefined } }
      })
    })
  )

  it.effect("tells the oldest of all chains and topics", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const at = (seconds: number) => new Date(seconds * 1_000)
      yield* sql`INSERT INTO orchestrator.open_quotes (number, intent_id, created_at)
        VALUES (2, 'b', ${at(20)}), (1, 'a', ${at(10)})`
      yield* sql`INSERT INTO orchestrator.intent_queue (intent_id, source_chain_id, account, submitted_at, deadline) VALUES
        ('c', 1, '1:x', ${at(50)}, 1), ('d', 10, '10:x', ${at(30)}, 1), ('e', 10, '10:y', ${at(60)}, 1), ('f', 137, '137:y', ${at(90)}, 1)`
      yield* sql`INSERT INTO orchestrator.intent_deliveries (intent_id, source_chain_id, dest_chain_id, delivered, since, look_at)
        VALUES ('g', 1, 10, false, ${at(70)}, ${at(1)}), ('h', 1, 10, true, ${at(5)}, ${at(1)})`
      yield* sql`INSERT INTO orchestrator.outbox (idempotency_key, intent_id, message, due_at, created_at, state, closed_at) VALUES
        ('1', 'x', '{"_tag":"Revenue"}', ${at(1)}, ${at(80)}, 'pending', NULL),
        ('2', 'x', '{"_tag":"Revenue"}', ${at(900)}, ${at(40)}, 'pending', NULL),
        ('3', 'x', '{"_tag":"Revenue"}', ${at(1)}, ${at(1)}, 'delivered', ${at(2)}),
        ('4', 'x', '{"_tag":"SweepEvent"}', ${at(1)}, ${at(25)}, 'pending', NULL)`
      assert.deepStrictEqual(yield* report, {
        intents: { quoted: 10_000, queued: 30_000, settled_source: 70_000 },
        outbox: { ledger: { waiting: 2, oldestMs: 40_000 }, events: { waiting: 1, oldestMs: 25_000 } }
      })
    })
  )

  it.effect("tells the oldest intent in the queue, also if it is put off", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { intents } = yield* Backlog
      const at = (seconds: number) => new Date(seconds * 1_000)
      yield* sql`DELETE FROM orchestrator.intent_queue`
      const queue = (id: string, chainId: number, submitted: number, notBefore: Date | null) => sql`
        INSERT INTO orchestrator.intent_queue (intent_id, source_chain_id, account, submitted_at, deadline, not_before)
        VALUES (${id}, ${chainId}, ${id}, ${at(submitted)}, 1, ${notBefore})`
      yield* queue("a", 137, 90, at(900))
      assert.strictEqual((yield* intents).queued, 90_000)
      yield* queue("b", 1, 80, null)
      assert.strictEqual((yield* intents).queued, 80_000)
      // It is due after another one of its chain that is younger.
      yield* queue("c", 137, 70, at(950))
      assert.strictEqual((yield* intents).queued, 70_000)
      yield* queue("d", 10, 60, null)
      assert.strictEqual((yield* intents).queued, 60_000)
    })
  )

  it.effect("measures the wait for a connection", () =>
    Effect.gen(function* () {
      assert.isAtLeast(yield* (yield* Backlog).poolWaitMillis, 0)
    })
  )
})

/** One connection runs every statement and so has all of its statistics. */
const oneConnection = Layer.unwrap(
  Effect.map(TestDatabase, ({ url }) =>
    SqlBacklog.layer.pipe(Layer.provideMerge(Database.layer({ url: Redacted.make(url), poolSize: 1 })))
  )
).pipe(Layer.provide(migratedDatabaseUrl))

it.live("the oldest of a long queue is found by its indexes", () =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const { intents } = yield* Backlog
    // The plan is made while the queue is empty.
    assert.isUndefined((yield* intents).queued)
    const fill = (count: number, chains: number, notBefore: Date | null) => sql`
      INSERT INTO orchestrator.intent_queue (intent_id, source_chain_id, account, submitted_at, deadline, not_before)
      SELECT gen_random_uuid(), n % ${chains}::integer, n, to_timestamp(1000 + n), n, ${notBefore}::timestamptz
      FROM generate_series(0, ${count - 1}::integer) AS n`
    yield* fill(5_000, 3, null)
    const fresh = yield* reads(intents)
    assert.strictEqual(fresh.value.queued, 1_000_000)
    assert.deepStrictEqual(fresh.scanned, [])
    assert.include(fresh.indexes, "intent_queue_fresh")
    assert.isBelow(fresh.rows, 50)
    yield* fill(MOST_COUNTED + 5_000, 1, new Date(5_000))
    yield* sql`UPDATE orchestrator.intent_queue SET submitted_at = to_timestamp(7), not_before = to_timestamp(1)
      WHERE source_chain_id = 2 AND deadline = 2`
    const resting = yield* reads(intents)
    assert.strictEqual(resting.value.queued, 7_000)
    assert.deepStrictEqual(resting.scanned, [])
    assert.include(resting.indexes, "intent_queue_postponed")
    assert.isBelow(resting.rows, 2 * MOST_COUNTED + 50)
    // Other plans fit the sample that ANALYZE draws. Each of them reads a bounded part of the queue.
    yield* sql`ANALYZE orchestrator.intent_queue`
    assert.isBelow((yield* reads(intents)).rows, 2 * MOST_COUNTED + 50)
  }).pipe(Effect.provide(oneConnection))
)
