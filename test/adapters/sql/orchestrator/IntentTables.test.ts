/** Carries intents of the release before over to the tables of this one, and keeps their updates cheap and their months apart. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import type * as Statement from "effect/sql/Statement"
import { migrations } from "../../../../migrations/orchestrator/index.ts"
import * as KeptDataSql from "../../../../src/adapters/sql/orchestrator/KeptData.ts"
import * as Migrated from "../../../../src/adapters/sql/orchestrator/Migrated.ts"
import * as Database from "../../../../src/adapters/sql/shared/Database.ts"
import * as Migrations from "../../../../src/adapters/sql/shared/Migrations.ts"
import { Authorization } from "../../../../src/domain/Delegation.ts"
import { Hex } from "../../../../src/domain/Hex.ts"
import { Quote } from "../../../../src/domain/Quote.ts"
import { SweepOrder } from "../../../../src/domain/SweepOrder.ts"
import { Intents } from "../../../../src/ports/orchestrator/Intents.ts"
import { KeptData } from "../../../../src/ports/orchestrator/KeptData.ts"
import { RelayTransactions } from "../../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, hash, newIntent, submission, submitted } from "../../../support/IntentFixtures.ts"
import { freshStores, stores } from "../../../support/OrchestratorStores.ts"
import { TestDatabase, testDatabase, testDatabaseUrl } from "../../../support/Postgres.ts"

/** Name of the migration that splits the table, and those before it. */
const SPLIT = "0016_intent_tables"
const BEFORE = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < SPLIT))

const HOUR = 3_600_000

const encodeQuote = Schema.encodeSync(Quote)
const encodeOrder = Schema.encodeSync(SweepOrder)
const encodeSubmission = Schema.encodeSync(Schema.Struct({ signature: Hex, authorization: Authorization }))

type Values = Readonly<Record<string, string | number | Date | Statement.Fragment>>

/** Stores an intent as the release before did. */
const insertBefore = Effect.fnUntraced(function* (id: string, owner: number, status: string, values: Values = {}) {
  const sql = yield* PgClient.PgClient
  const { order, orderDigest, quote } = newIntent({ id, owner, builderId: "bld", destChainId: owner % 2 === 0 ? 2 : 1 })
  const at = new Date(Date.now() - HOUR + owner)
  const signed = status === "quoted" ? {} : { submission: sql.json(encodeSubmission(submission())), submitted_at: at }
  yield* sql`INSERT INTO orchestrator.intents ${sql.insert({
    id,
    quote: sql.json(encodeQuote(quote)),
    order: sql.json(encodeOrder(order)),
    order_digest: orderDigest,
    quoted_at_block: 17,
    gas: 210_000,
    user_id: "user",
    builder_id: "bld",
    payout_mode: "ledger",
    status,
    created_at: at,
    updated_at: at,
    ...signed,
    ...values
  })}`
})

const inEveryStatus = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const later = new Date(Date.now() + HOUR)
  yield* insertBefore("quoted", 1, "quoted")
  yield* insertBefore("queued", 2, "submitted")
  yield* insertBefore("leased", 3, "submitted", { lease_worker: "w", lease_until: later, not_before: later })
  yield* sql`INSERT INTO orchestrator.lanes VALUES (1, ${address(9)}, 1)`
  const [{ id: transaction } = { id: 0n }] = yield* sql<{ id: bigint }>`
    INSERT INTO orchestrator.relay_transactions (chain_id, lane, nonce, kind, created_at)
    VALUES (1, ${address(9)}, 0, 'sweep', ${later}) RETURNING id`
  yield* insertBefore("carried", 4, "submitted", { tx_hash: hash("t") })
  yield* sql`UPDATE orchestrator.intents SET relay_transaction_id = ${transaction} WHERE id = 'carried'`
  yield* sql`INSERT INTO orchestrator.relay_transaction_intents (transaction_id, intent_id, position, account)
    SELECT ${transaction}, id, 0, account FROM orchestrator.intents WHERE id = 'carried'`
  yield* insertBefore("settled", 6, "settled_source", {
    tx_hash: hash("t"),
    delivery_look_at: new Date(),
    delivery_looks: 3
  })
  yield* insertBefore("delivered", 8, "delivered", { tx_hash: hash("t"), delivery_tx_hash: hash("d") })
  yield* insertBefore("unseen", 10, "delivered", { tx_hash: hash("t"), searches: sql.json({ fill: "7" }) })
  yield* insertBefore("failed", 7, "failed", { tx_hash: hash("t"), failure_reason: "reverted", failure_detail: "why" })
  yield* sql`INSERT INTO orchestrator.intent_events (intent_id, event, status, tx_hash, reason, detail, at) VALUES
    ('failed', 'Submitted', 'submitted', NULL, NULL, NULL, ${later}),
    ('failed', 'Failed', 'failed', ${hash("t")}, 'reverted', 'why', ${later})`
})

/** Rows that the release before reads. */
const readBefore = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  return {
    intents: yield* sql`SELECT to_jsonb(i) AS row FROM orchestrator.intents i ORDER BY id`,
    events: yield* sql`SELECT to_jsonb(e) AS row FROM orchestrator.intent_events e ORDER BY id`,
    counts: yield* sql`SELECT * FROM orchestrator.intent_count_sums ORDER BY status`
  }
})

describe("intents of the release before", () => {
  it.live("are read alike by both releases after the migration, and are in their queues", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* Migrations.migrate("orchestrator", BEFORE)
      yield* inEveryStatus
      const before = yield* readBefore
      assert.lengthOf(before.intents, 8)
      yield* Migrated.migrate
      assert.deepStrictEqual(yield* readBefore, before)
      assert.deepStrictEqual(yield* sql`SELECT * FROM orchestrator.intent_count_differences`, [])

      yield* Effect.gen(function* () {
        const intents = yield* Intents
        const found = Option.getOrThrow(yield* intents.find("failed"))
        const { order, quote } = newIntent({ id: "failed", owner: 7, destChainId: 1 })
        assert.deepStrictEqual(found.order, order)
        assert.deepStrictEqual(found.quote, quote)
        assert.deepStrictEqual(found.submission, submission())
        assert.include(found, { failureReason: "reverted", failureDetail: "why", txHash: hash("t") })
        const claimed = yield* intents.claim({ chainId: 1, worker: "w", leaseMillis: HOUR, limit: 10 })
        assert.deepStrictEqual(
          claimed.map(({ id }) => id),
          ["queued"]
        )
        const [due] = yield* intents.deliveriesDue(1, 2, 10)
        assert.include(due, { looks: 3 })
        const unseen = yield* intents.fillsDue(1, 2, 10)
        assert.deepStrictEqual(
          unseen.map(({ intent }) => [intent.id, intent.searches]),
          [["unseen", { fill: 7n }]]
        )
        const burned = yield* intents.burned({ chainId: 1, owners: [address(7)], builders: ["bld"], sinceMs: 0 })
        assert.deepStrictEqual(burned.owners, new Map([[address(7), 1]]))
        const settled = yield* intents.settledOf(1, [1, 2, 3, 4, 6, 7, 8, 10].map(address))
        assert.sameMembers([...settled], [6, 8, 10].map(address))
        assert.strictEqual((yield* intents.submit("quoted", submission())).status, "submitted")
      }).pipe(Effect.provide(stores))
    }).pipe(Effect.provide(testDatabase))
  )

  it.live("become unreadable, and hold nothing up, if their documents were", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* Migrations.migrate("orchestrator", BEFORE)
      yield* insertBefore("good", 1, "submitted")
      yield* insertBefore("bad", 3, "submitted")
      yield* sql`UPDATE orchestrator.intents SET "order" = "order" || '{"amountIn":"many","swapCalldata":"0x0"}' WHERE id = 'bad'`
      yield* Migrated.migrate
      yield* Effect.gen(function* () {
        const intents = yield* Intents
        const claimed = yield* intents.claim({ chainId: 1, worker: "w", leaseMillis: 1, limit: 10 })
        assert.deepStrictEqual(
          claimed.map(({ id }) => id),
          ["good"]
        )
      }).pipe(Effect.provide(stores))
    }).pipe(Effect.provide(testDatabase))
  )

  it.effect("cannot be written by the release before, which learns it by an error", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* submitted({ id: "a" })
      for (const write of [
        sql`UPDATE orchestrator.intents SET lease_worker = 'w' WHERE id = 'a'`,
        sql`DELETE FROM orchestrator.intents WHERE id = 'a'`,
        sql`INSERT INTO orchestrator.intents (id, gas) VALUES ('b', 1)`,
        sql`INSERT INTO orchestrator.intent_events (intent_id, event, status, at) VALUES ('a', 'Failed', 'failed', now())`
      ]) {
        assert.match(String((yield* Effect.flip(write)).reason.cause), /cannot (update|delete from|insert into) view/)
      }
    }).pipe(Effect.provide(freshStores))
  )
})

/** Two connections: one listens, the other runs every statement and so has all of its statistics. */
const oneConnection = Layer.unwrap(
  Effect.map(TestDatabase, ({ url }) =>
    stores.pipe(Layer.provideMerge(Database.layer({ url: Redacted.make(url), poolSize: 2 })))
  )
).pipe(Layer.provide(testDatabaseUrl))

/** Sweeps from their quotes to their deliveries, all in one transaction. */
const sweeps = Effect.fnUntraced(function* (name: string, count: number) {
  const intents = yield* Intents
  const transactions = yield* RelayTransactions
  const ids = Array.from({ length: count }, (_, n) => `${name}${n}`)
  yield* Effect.forEach(ids, (id, n) => submitted({ id, owner: n + 1, builderId: "bld" }), { concurrency: 8 })
  const claimed = yield* intents.claim({ chainId: 1, worker: "w", leaseMillis: 30_000, limit: count })
  assert.lengthOf(claimed, count)
  const { id } = yield* transactions.allocate({
    chainId: 1,
    lane: address(0x1a4e),
    chainNonce: 0n,
    intentIds: ids,
    sign: () => Effect.succeed(attempt(name))
  })
  const txHash = hash(name)
  const events = [
    { _tag: "SettledAtSource", txHash },
    { _tag: "Delivered", txHash }
  ] as const
  yield* intents.applyAll(ids.map((each) => ({ id: each, events })))
  yield* transactions.finalize([{ id }])
})

/** Updates of states so far, and those that stayed in their pages and wrote no index entries. */
const updates = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`SELECT pg_stat_force_next_flush()`
  const [row] = yield* sql<{ all: bigint; hot: bigint }>`
    SELECT n_tup_upd AS all, n_tup_hot_upd AS hot FROM pg_stat_user_tables WHERE relname = 'intent_states'`
  return { all: Number(row?.all), hot: Number(row?.hot) }
})

/**
 * PostgreSQL reuses the room of old row versions only when no transaction can see them, and transactions in other databases of
 * the server delay that. So no room is reused in these tests.
 */
describe("updates of states", () => {
  it.effect("write no index entries from the quote to the delivery", () =>
    Effect.gen(function* () {
      // All versions of so few rows fit in one page.
      yield* sweeps("a", 4)
      assert.deepStrictEqual(yield* updates, { all: 12, hot: 12 })
    }).pipe(Effect.provide(oneConnection))
  )

  it.effect("find room in pages that are full of quotes", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const intents = yield* Intents
      const ids = Array.from({ length: 100 }, (_, n) => `a${n}`)
      yield* Effect.forEach(ids, (id, n) => intents.create(newIntent({ id, owner: n + 1 })))
      yield* sql.withTransaction(Effect.forEach(ids, (id) => intents.submit(id, submission())))
      assert.deepStrictEqual(yield* updates, { all: 100, hot: 100 })
    }).pipe(Effect.provide(oneConnection))
  )
})

describe("months of intents", () => {
  const layer = KeptDataSql.layer.pipe(Layer.provideMerge(freshStores))

  /** Table of the terms with this number. */
  const partitionOf = Effect.fnUntraced(function* (number: Statement.Fragment) {
    const sql = yield* PgClient.PgClient
    const [row] = yield* sql<{ name: string }>`
      SELECT tableoid::regclass::text AS name FROM orchestrator.intent_terms WHERE number = ${number}`
    return row?.name
  })

  it.effect("have partitions of their own, which are added ahead of time, by several replicas at once", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { addMonths } = yield* KeptData
      const months = sql`SELECT FROM pg_inherits WHERE inhparent = 'orchestrator.intent_terms'::regclass`
      // This month, the three after it and the default: more would make every plan longer.
      assert.lengthOf(yield* months, 5)
      yield* Effect.all([addMonths, addMonths, addMonths], { concurrency: "unbounded" })
      yield* submitted({ id: "a", owner: 1 })
      assert.strictEqual(
        yield* partitionOf(sql`(SELECT number FROM orchestrator.intent_states WHERE id = 'a')`),
        "orchestrator.intent_terms_1970_01"
      )
      for (const [at, name] of [
        ["1970-02-28T23:59:59.999Z", "1970_02"],
        ["1970-03-01T00:00:00Z", "1970_03"],
        ["1970-04-30T23:59:59.999Z", "1970_04"],
        // Nothing is refused if no replica has added the month.
        ["1970-05-01T00:00:00Z", "default"]
      ] as const) {
        const number = sql`orchestrator.first_number(${new Date(at)})`
        yield* sql`INSERT INTO orchestrator.intent_terms (number, quoted_at_block, gas, user_id, quote)
          VALUES (${number}, 1, 1, 'user', '{}')`
        assert.strictEqual(yield* partitionOf(number), `orchestrator.intent_terms_${name}`)
      }
    }).pipe(Effect.provide(layer))
  )

  it.effect("can be detached when their intents have ended, and keep ids and order nonces taken", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const intents = yield* Intents
      yield* (yield* KeptData).addMonths
      yield* submitted({ id: "a", owner: 1 })
      const detach = sql<{ detached: ReadonlyArray<string> }>`
        SELECT orchestrator.detach_intent_month('1970-01-15') AS detached`
      assert.include(String((yield* Effect.flip(detach)).reason.cause), "intent a of this month has not ended")
      yield* intents.apply("a", [{ _tag: "Failed", reason: "expired" }])
      assert.deepStrictEqual(yield* detach, [
        {
          detached: ["sweeps", "intent_terms", "intent_signatures", "intent_history"].map(
            (table) => `orchestrator.${table}_1970_01`
          )
        }
      ])
      assert.isTrue(Option.isNone(yield* intents.find("a")))
      assert.strictEqual((yield* Effect.flip(intents.create(newIntent({ id: "a", owner: 1 }))))._tag, "IntentExists")
      yield* submitted({ id: "b", owner: 2 })
      assert.isTrue(Option.isSome(yield* intents.find("b")))
    }).pipe(Effect.provide(layer))
  )
})
