import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Idempotency from "../../../../src/adapters/sql/orchestrator/Idempotency.ts"
import * as KeptDataSql from "../../../../src/adapters/sql/orchestrator/KeptData.ts"
import { Intents } from "../../../../src/ports/orchestrator/Intents.ts"
import { KeptData, type Kind } from "../../../../src/ports/orchestrator/KeptData.ts"
import { RelayTransactions } from "../../../../src/ports/orchestrator/RelayTransactions.ts"
import { Alerts } from "../../../../src/ports/shared/Alerts.ts"
import { Idempotency as IdempotencyPort } from "../../../../src/ports/shared/Idempotency.ts"
import { suite } from "../../../ports/orchestrator/KeptData.suite.ts"
import { address, attempt, hash, newIntent, submitted } from "../../../support/IntentFixtures.ts"
import { freshStores } from "../../../support/OrchestratorStores.ts"

const layer = Layer.mergeAll(KeptDataSql.layer, Idempotency.layer).pipe(Layer.provideMerge(freshStores))

suite("Postgres", layer)

const prune = (kind: Kind, beforeMs: number, limit = 10) =>
  Effect.flatMap(KeptData, (kept) => kept.prune(kind, beforeMs, limit))

const carry = (intentIds: ReadonlyArray<string>, seed: string) =>
  Effect.flatMap(RelayTransactions, (transactions) =>
    transactions.allocate({
      chainId: 1,
      lane: address(0x1a4e),
      chainNonce: 0n,
      intentIds,
      sign: () => Effect.succeed(attempt(seed))
    })
  )

describe("old rows in Postgres", () => {
  it.effect("are signed versions of final transactions, not those of unfinished ones", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const transactions = yield* RelayTransactions
      yield* submitted({ id: "a", owner: 1 })
      yield* submitted({ id: "b", owner: 2 })
      const open = yield* carry(["a"], "open")
      const ended = yield* carry(["b"], "ended")
      yield* transactions.addAttempt(ended.id, attempt("dearer"), "sweep")
      yield* TestClock.adjust("10 seconds")
      yield* transactions.finalize([{ id: ended.id }])
      assert.strictEqual(yield* prune("attempts", 10_000), 0)
      assert.strictEqual(yield* prune("attempts", 10_001, 1), 1)
      assert.strictEqual(yield* prune("attempts", 10_001), 1)
      assert.deepStrictEqual(yield* sql`SELECT hash FROM orchestrator.relay_attempts`, [{ hash: hash("open") }])
      assert.deepStrictEqual(
        (yield* transactions.unfinished(1)).map(({ id }) => id),
        [open.id]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect(
    "are signed versions behind those of transactions that never end, more of them than one deletion takes",
    () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const transactions = yield* RelayTransactions
        for (const [index, id] of ["a", "b", "c"].entries()) yield* submitted({ id, owner: index + 1 })
        const open = [yield* carry(["a"], "open"), yield* carry(["b"], "open too")]
        for (const { id } of open) yield* transactions.addAttempt(id, attempt(`dearer ${id}`), "sweep")
        const ended = yield* carry(["c"], "ended")
        yield* transactions.addAttempt(ended.id, attempt("dearer"), "sweep")
        yield* transactions.finalize([{ id: ended.id }])
        assert.strictEqual(yield* prune("attempts", 1, 2), 2)
        assert.strictEqual(yield* prune("attempts", 1, 2), 0)
        assert.lengthOf(yield* sql`SELECT FROM orchestrator.relay_attempts`, 4)
      }).pipe(Effect.provide(layer))
  )

  it.effect("are events, which nothing else can delete", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* submitted({ id: "a", owner: 1 })
      yield* TestClock.adjust("1 second")
      yield* submitted({ id: "b", owner: 2 })
      assert.strictEqual(yield* prune("events", 1_000), 1)
      assert.deepStrictEqual(yield* sql`SELECT intent_id FROM orchestrator.intent_events`, [{ intent_id: "b" }])
      const refused = yield* Effect.flip(sql`DELETE FROM orchestrator.intent_history`)
      assert.include(String(refused.reason.cause), "append-only")
    }).pipe(Effect.provide(layer))
  )

  it.effect("are whole months of events, when the youngest event of the month is old", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { dropMonths } = yield* KeptData
      yield* sql`SELECT orchestrator.add_intent_partitions('2020-01-15T00:00Z', '2020-03-15T00:00Z')`
      // Created in January, February and long before, with a late event of January.
      for (const [created, at] of [
        ["2010-05-05", "2010-05-05"],
        ["2020-01-05", "2020-01-05"],
        ["2020-01-05", "2020-02-10"],
        ["2020-02-20", "2020-02-20"]
      ] as const) {
        yield* sql`INSERT INTO orchestrator.intent_history (number, status, at)
          VALUES (orchestrator.first_number(${`${created}T00:00Z`}::timestamptz), 'submitted', ${`${at}T00:00Z`}::timestamptz)`
      }
      const dropBefore = (day: string) => dropMonths(Date.parse(`${day}T00:00Z`))
      const left = sql<{ at: Date }>`SELECT at FROM orchestrator.intent_history ORDER BY at`.pipe(
        Effect.map((rows) => rows.map(({ at }) => at.toISOString().slice(0, 10)))
      )
      assert.strictEqual(yield* dropBefore("2020-02-05"), 0)
      assert.strictEqual(yield* dropBefore("2020-02-10"), 0)
      assert.strictEqual(yield* dropBefore("2020-02-11"), 1)
      assert.deepStrictEqual(yield* left, ["2010-05-05", "2020-02-20"])
      assert.strictEqual(yield* prune("events", Date.parse("2021-01-01T00:00Z")), 1)
      assert.deepStrictEqual(yield* left, ["2020-02-20"])
      assert.strictEqual(yield* dropBefore("2020-03-31"), 1)
      assert.deepStrictEqual(yield* left, [])
      // An event of a dropped month has a place, and the rest of the month can be detached.
      yield* sql`INSERT INTO orchestrator.intent_history (number, status, at)
        VALUES (orchestrator.first_number('2020-01-05T00:00Z'), 'failed', '2021-01-01T00:00Z')`
      assert.strictEqual(yield* prune("events", Date.parse("2022-01-01T00:00Z")), 1)
      assert.deepStrictEqual(yield* sql`SELECT orchestrator.detach_intent_month('2020-01-01') AS detached`, [
        {
          detached: [
            "orchestrator.sweeps_2020_01",
            "orchestrator.intent_terms_2020_01",
            "orchestrator.intent_signatures_2020_01"
          ]
        }
      ])
    }).pipe(Effect.provide(layer))
  )

  it.effect("are searches for the transactions of deliveries, which end without one", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const intents = yield* Intents
      for (const [index, id] of ["found", "unseen", "under way"].entries()) {
        yield* submitted({ id, owner: index + 1, destChainId: 2 })
        yield* intents.apply(id, [{ _tag: "SettledAtSource", txHash: hash(id) }])
      }
      yield* intents.apply("found", [{ _tag: "Delivered", txHash: hash("fill") }])
      yield* intents.apply("unseen", [{ _tag: "Delivered" }])
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* prune("fills", 0), 0)
      assert.strictEqual(yield* prune("fills", 1_000), 1)
      assert.deepStrictEqual(yield* sql`SELECT intent_id FROM orchestrator.intent_deliveries`, [
        { intent_id: "under way" }
      ])
      assert.deepInclude(yield* Effect.flatMap(intents.find("unseen"), Effect.fromOption), { status: "delivered" })
    }).pipe(Effect.provide(layer))
  )

  it.effect("are alerts that were cleared, and responses that expired", () =>
    Effect.gen(function* () {
      const alerts = yield* Alerts
      const idempotency = yield* IdempotencyPort
      const alert = { severity: "warning", kind: "lane_low", message: "m", details: {} } as const
      yield* alerts.raise({ key: "standing", ...alert })
      yield* alerts.raise({ key: "cleared", ...alert })
      yield* alerts.clear("cleared")
      assert.strictEqual(yield* prune("alerts", 0), 0)
      assert.strictEqual(yield* prune("alerts", 1), 1)
      assert.deepStrictEqual(
        (yield* alerts.list).map(({ key }) => key),
        ["standing"]
      )
      for (const [id, lifetimeMillis] of [
        ["short", 1_000],
        ["long", 9_000]
      ] as const) {
        yield* idempotency.claim({ id, fingerprint: "f", attempt: "1", leaseMillis: 1, lifetimeMillis })
      }
      assert.strictEqual(yield* prune("responses", 1_001), 1)
      assert.strictEqual(yield* prune("responses", 1_001), 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("are deleted once, also by several replicas at once", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      const ids = Array.from({ length: 40 }, (_, index) => `q${index}`)
      yield* Effect.forEach(ids, (id, index) => intents.create(newIntent({ id, owner: index + 1 })), { concurrency: 8 })
      const deleted = yield* Effect.forEach([1, 2, 3, 4], () => prune("quotes", 1, 40), { concurrency: "unbounded" })
      assert.strictEqual(deleted.reduce((sum, count) => sum + count, 0) + (yield* prune("quotes", 1, 40)), 40)
      assert.strictEqual((yield* intents.counts).quoted, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("are never intents that were submitted, whoever deletes", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* submitted({ id: "a", owner: 1 })
      const refused = yield* Effect.flip(sql`DELETE FROM orchestrator.intent_states WHERE id = 'a'`)
      assert.include(String(refused.reason.cause), "only quotes can be deleted")
    }).pipe(Effect.provide(layer))
  )
})

it.effect("the kept numbers are those that are counted, after every kind of move and also by hand", () =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const intents = yield* Intents
    const { sumUp } = yield* KeptData
    for (let n = 0; n < 12; n++) yield* submitted({ id: `i${n}`, owner: n + 1, destChainId: 2 })
    yield* intents.create(newIntent({ id: "q", owner: 99 }))
    yield* intents.applyAll(
      ["i0", "i1", "i2", "i3"].map((id) => ({ id, events: [{ _tag: "SettledAtSource" as const, txHash: hash(id) }] }))
    )
    yield* sumUp
    yield* intents.applyAll([
      { id: "i0", events: [{ _tag: "Delivered", txHash: hash("d") }] },
      { id: "i1", events: [{ _tag: "Failed", reason: "bridge_refunded" }] },
      {
        id: "i4",
        events: [
          { _tag: "SettledAtSource", txHash: hash("i4") },
          { _tag: "Delivered", txHash: hash("e") }
        ]
      }
    ])
    yield* sql`UPDATE orchestrator.intent_states SET status = 'failed', failure_reason = 'expired' WHERE id = 'i5'`
    yield* intents.claim({ chainId: 1, worker: "w", leaseMillis: 1, limit: 3 })
    const differences = sql`SELECT * FROM orchestrator.intent_count_differences`
    assert.deepStrictEqual(yield* differences, [])
    yield* sumUp
    assert.deepStrictEqual(yield* differences, [])
    assert.deepStrictEqual(yield* intents.counts, {
      quoted: 1,
      submitted: 6,
      settled_source: 2,
      delivered: 2,
      failed: 2
    })
    yield* sql`UPDATE orchestrator.intent_counts SET intents = intents + 1 WHERE status = 'failed'`
    assert.lengthOf(yield* differences, 1)
  }).pipe(Effect.provide(layer))
)
