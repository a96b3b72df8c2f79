/** The outbox while replicas of the release before, whose statements are repeated here, run beside those of this one. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { migrations } from "../../../../migrations/orchestrator/index.ts"
import * as Migrated from "../../../../src/adapters/sql/orchestrator/Migrated.ts"
import * as Migrations from "../../../../src/adapters/sql/shared/Migrations.ts"
import { Intents } from "../../../../src/ports/orchestrator/Intents.ts"
import { Outbox, type Topic } from "../../../../src/ports/orchestrator/Outbox.ts"
import { address, hash, submitted } from "../../../support/IntentFixtures.ts"
import { freshStores, stores } from "../../../support/OrchestratorStores.ts"
import { testDatabase } from "../../../support/Postgres.ts"

const NARROW = "0019_narrow_outbox"
const BEFORE = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < NARROW))

/** Past for both clocks, that of the database and that of the test. */
const EARLIER = new Date(Date.now() - 60_000)

const insertBefore = Effect.fnUntraced(function* (key: string, intentId: string, message: unknown) {
  const sql = yield* PgClient.PgClient
  yield* sql`INSERT INTO orchestrator.outbox (idempotency_key, intent_id, message, due_at, created_at)
    VALUES (${key}, ${intentId}, ${sql.json(message)}, ${EARLIER}, ${EARLIER})
    ON CONFLICT (idempotency_key) DO NOTHING`
})

const claimBefore = Effect.fnUntraced(function* (topic: Topic) {
  const sql = yield* PgClient.PgClient
  return yield* sql<{ id: bigint; message: unknown; attempts: number }>`
    WITH due AS (
      SELECT id, due_at FROM orchestrator.outbox
      WHERE state = 'pending' AND topic = ${topic} AND due_at <= now()
        AND (leased_until IS NULL OR leased_until <= now())
      ORDER BY due_at, id
      LIMIT 10
      FOR UPDATE SKIP LOCKED
    )
    UPDATE orchestrator.outbox o SET leased_until = now() + interval '30 seconds'
    FROM due WHERE o.id = due.id
    RETURNING o.id, o.message, o.attempts, due.due_at AS was_due_at`
})

const acknowledgeBefore = Effect.fnUntraced(function* (ids: ReadonlyArray<bigint>) {
  const sql = yield* PgClient.PgClient
  return yield* sql`
    UPDATE orchestrator.outbox SET state = 'delivered', detail = NULL, closed_at = now()
    WHERE id = ANY(${ids.map(String)}::bigint[]) AND state <> 'delivered' RETURNING state`
})

const deferBefore = Effect.fnUntraced(function* (id: bigint) {
  const sql = yield* PgClient.PgClient
  yield* sql`UPDATE orchestrator.outbox SET attempts = attempts + 1, due_at = ${EARLIER}, leased_until = NULL, detail = 'later'
    WHERE id = ${id} AND state = 'pending'`
})

const claim = (topic: Topic) =>
  Effect.flatMap(Outbox, (outbox) => outbox.claim({ topic, limit: 10, leaseMillis: 30_000 }))

const revenue = {
  _tag: "Revenue" as const,
  revenue: { sweepId: "r_0", chainId: 1, token: address(0xa), amount: 5n, txHash: hash("tx"), settledAtMs: 1 }
}

/** A refunded sweep of a builder: three events and a revenue. */
const settled = Effect.fnUntraced(function* (id: string, owner: number) {
  yield* submitted({ id, owner, builderId: "bld", destChainId: 2 })
  const intents = yield* Intents
  yield* intents.apply(id, [{ _tag: "SettledAtSource", txHash: hash(id) }], { outbox: [revenue] })
  yield* intents.apply(id, [{ _tag: "Failed", reason: "bridge_refunded" }])
})

describe("the release before", () => {
  it.live("reads, delivers and defers messages of this one", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* settled("a", 1)
      const payloads =
        yield* sql`SELECT count(message)::int AS payloads FROM orchestrator.outbox WHERE topic = 'events'`
      assert.deepStrictEqual(payloads, [{ payloads: 0 }])
      const [events, money] = [yield* claimBefore("events"), yield* claimBefore("ledger")]
      const event = {
        builderId: "bld",
        intentId: "a",
        owner: address(1),
        sourceChainId: 1,
        destChainId: 2,
        crossChain: true
      }
      assert.lengthOf(events, 3)
      for (const [index, status] of ["submitted", "settled_source", "failed"].entries()) {
        const { message } = events[index] as { message: { _tag: string; event: object } }
        assert.strictEqual(message._tag, "SweepEvent")
        assert.deepInclude(message.event, { ...event, id: `a:${status}`, status })
      }
      const last = events[2] as { message: { event: object } }
      assert.deepInclude(last.message.event, { failureReason: "bridge_refunded", txHash: hash("a") })
      assert.deepInclude(money[0]?.message, { _tag: "Revenue" })

      // Its leases count for this release, and what it defers is handed out with the same content.
      assert.deepStrictEqual([...(yield* claim("events")), ...(yield* claim("ledger"))], [])
      yield* deferBefore(events[0]?.id ?? 0n)
      const [again] = yield* claim("events")
      assert.deepInclude(again, { id: String(events[0]?.id), attempts: 1 })
      assert.deepInclude(again?.message, { _tag: "SweepEvent" })

      const ids = [...events, ...money].map(({ id }) => id)
      assert.lengthOf(yield* acknowledgeBefore(ids), 4)
      assert.deepStrictEqual(yield* (yield* Outbox).counts, { pending: 0, rejected: 0 })
    }).pipe(Effect.provide(freshStores))
  )

  it.live("gets from its statement what this one claims", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* settled("a", 1)
      const own = yield* claim("events")
      assert.lengthOf(own, 3)
      yield* sql`UPDATE orchestrator.outbox SET leased_until = NULL`
      assert.deepStrictEqual(yield* claim("events"), own)
    }).pipe(Effect.provide(freshStores))
  )

  it.live("leaves messages with a payload, from before the migration and after it, to this one", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* Migrations.migrate("orchestrator", BEFORE)
      const event = {
        _tag: "SweepEvent",
        event: {
          id: "x:submitted",
          builderId: "bld",
          intentId: "x",
          status: "submitted",
          occurredAtMs: 5,
          owner: address(1),
          sourceChainId: 1,
          destChainId: 1,
          crossChain: false,
          tokenIn: address(2),
          amountIn: "7",
          tokenOut: address(3),
          minAmountOut: "6",
          builderFee: "1"
        }
      }
      yield* insertBefore("sweep:x:submitted", "x", event)
      yield* insertBefore("sweep:y:submitted", "y", { ...event, event: { ...event.event, id: "y:submitted" } })
      // The second one is leased by a replica when the migration runs.
      yield* sql`UPDATE orchestrator.outbox SET leased_until = now() + interval '1 hour' WHERE intent_id = 'y'`
      yield* Migrated.migrate
      yield* insertBefore("sweep:z:submitted", "z", { ...event, event: { ...event.event, id: "z:submitted" } })
      yield* Effect.gen(function* () {
        const outbox = yield* Outbox
        const claimed = yield* claim("events")
        assert.deepStrictEqual(
          claimed.map(({ message }) => (message._tag === "SweepEvent" ? message.event.id : message._tag)),
          ["x:submitted", "z:submitted"]
        )
        yield* Effect.forEach(claimed, ({ id }) => outbox.acknowledge(id), { concurrency: "unbounded" })
        assert.deepStrictEqual(yield* sql`SELECT intent_id FROM orchestrator.outbox`, [{ intent_id: "y" }])
      }).pipe(Effect.provide(stores))
    }).pipe(Effect.provide(testDatabase))
  )
})

describe("an event without a payload", () => {
  it.live("keeps the month of its sweep attached until it is delivered", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const outbox = yield* Outbox
      yield* settled("a", 1)
      const detach = sql`SELECT orchestrator.detach_intent_month((now() AT TIME ZONE 'UTC')::date)`
      assert.include(String((yield* Effect.flip(detach)).reason.cause), "an event of intent a")
      const [first, ...others] = yield* claim("events")
      yield* Effect.forEach(others, ({ id }) => outbox.acknowledge(id))
      assert.include(String((yield* Effect.flip(detach)).reason.cause), "an event of intent a")
      yield* outbox.acknowledge(first?.id ?? "")
      yield* detach
    }).pipe(Effect.provide(freshStores))
  )

  it.live("does not keep the month attached once it is rejected, since it is never sent again", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const outbox = yield* Outbox
      yield* settled("a", 1)
      const [first, ...others] = yield* claim("events")
      yield* Effect.forEach(others, ({ id }) => outbox.acknowledge(id))
      yield* outbox.reject(first?.id ?? "", "404")
      yield* sql`SELECT orchestrator.detach_intent_month((now() AT TIME ZONE 'UTC')::date)`
      assert.deepStrictEqual(yield* claim("events"), [])
    }).pipe(Effect.provide(freshStores))
  )

  it.live("cannot be read without the terms of its sweep, and holds no other up", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* settled("a", 1)
      yield* submitted({ id: "b", owner: 2, builderId: "bld" })
      yield* sql`DELETE FROM orchestrator.intent_terms t USING orchestrator.intent_states s
        WHERE s.number = t.number AND s.id = 'a'`
      const claimed = yield* claim("events")
      assert.deepStrictEqual(
        claimed.map(({ message }) => message._tag),
        ["Unreadable", "Unreadable", "Unreadable", "SweepEvent"]
      )
    }).pipe(Effect.provide(freshStores))
  )
})
