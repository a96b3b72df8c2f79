/** The age of what waits, read from the tables in which it waits. */
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlBacklog from "../../../../src/adapters/sql/orchestrator/Backlog.ts"
import { Backlog } from "../../../../src/ports/orchestrator/Backlog.ts"
import { migratedDatabase } from "../../../support/Postgres.ts"

layer(SqlBacklog.layer.pipe(Layer.provideMerge(migratedDatabase)), { excludeTestServices: true })("Backlog", (it) => {
  it.effect("is nothing in an empty database", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* (yield* Backlog).read, {
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
      assert.deepStrictEqual(yield* (yield* Backlog).read, {
        intents: { quoted: 10_000, queued: 30_000, settled_source: 70_000 },
        outbox: { ledger: { waiting: 2, oldestMs: 40_000 }, events: { waiting: 1, oldestMs: 25_000 } }
      })
    })
  )

  it.effect("measures the wait for a connection", () =>
    Effect.gen(function* () {
      assert.isAtLeast(yield* (yield* Backlog).poolWaitMillis, 0)
    })
  )
})
