/** Entries that a payout can claim are read by themselves, with any number of paid ones behind them. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { migrations } from "../../../../migrations/builder/index.ts"
import * as LostMoney from "../../../../src/adapters/sql/builder/LostMoney.ts"
import * as Migrated from "../../../../src/adapters/sql/builder/Migrated.ts"
import * as Stores from "../../../../src/adapters/sql/builder/Stores.ts"
import * as Database from "../../../../src/adapters/sql/shared/Database.ts"
import * as Migrations from "../../../../src/adapters/sql/shared/Migrations.ts"
import { KeptData } from "../../../../src/ports/builder/KeptData.ts"
import { Payouts } from "../../../../src/ports/builder/Payouts.ts"
import { register } from "../../../support/BuilderFixtures.ts"
import { address, hash } from "../../../support/IntentFixtures.ts"
import { TestDatabase, migratedDatabaseUrl, testDatabase } from "../../../support/Postgres.ts"

const TOKEN = address(0xa)
const OPENING = { chainId: 1, token: TOKEN, minAmount: 0n }

/** Paid accruals of the token, before three that are owed. */
const PAID = 20_000
const FRESH = 3

/** Rows that a request may read. */
const FEW = 50

/** Token in which many builders are owed many accruals each, and entries that a batch of it may claim. */
const OWED = address(0xb)
const BUILDERS = 200
const LIMIT = 100

const accruals = (sql: PgClient.PgClient, prefix: string, count: number) => sql`INSERT INTO builder.ledger_entries
    (kind, builder_id, chain_id, token, earned, paid, sweep_id, tx_hash, created_at)
  SELECT 'accrual', 'alpha', 1, ${TOKEN}, 5, 0, ${prefix} || n, NULL, now() FROM generate_series(1, ${count}::integer) AS n`

const fill = Effect.gen(function* () {
  yield* register
  const sql = yield* Database.unlimited
  yield* accruals(sql, "paid", PAID)
  yield* sql`INSERT INTO builder.payouts (id, chain_id, token, min_amount, created_at)
    VALUES ('paid', 1, ${TOKEN}, 0, now())`
  yield* sql`INSERT INTO builder.payout_lines (payout_id, builder_id, payout_address, amount, entries)
    VALUES ('paid', 'alpha', ${address(0x80)}, ${5 * PAID}, ${PAID})`
  yield* sql`INSERT INTO builder.payout_claims (payout_id, builder_id, entry_id)
    SELECT 'paid', builder_id, id FROM builder.ledger_entries`
  yield* Effect.flatMap(Payouts, ({ markPaid }) => markPaid("paid", hash("payment")))
  yield* accruals(sql, "fresh", FRESH)
  yield* sql`INSERT INTO builder.builders (id, name, builder_bps, max_builder_bps, payout_address, payout_mode, created_at)
    SELECT 'owed' || n, '', 0, 0, '0x' || lpad(to_hex(4096 + n), 40, '0'), 'ledger', now() FROM generate_series(1, ${BUILDERS}::integer) AS n`
  yield* sql`INSERT INTO builder.ledger_entries
      (kind, builder_id, chain_id, token, earned, paid, sweep_id, tx_hash, created_at)
    SELECT 'accrual', 'owed' || 1 + n % ${BUILDERS}::integer, 2, ${OWED}, 5, 0, 'owed' || n, NULL, now()
    FROM generate_series(1, ${PAID}::integer) AS n`
  const { sumUp } = yield* KeptData
  // One run takes up 20,000 changes.
  for (let run = 0; run < 4; run++) yield* sumUp
  yield* sql`VACUUM ANALYZE`
}).pipe(Effect.scoped, Effect.provide(Reactivity.layer))

/** Two connections: one listens, the other runs every statement and so has all of its statistics. */
const filled = Layer.effectDiscard(fill).pipe(
  Layer.provideMerge(
    Layer.unwrap(
      Effect.map(TestDatabase, ({ url }) =>
        Stores.layer.pipe(
          Layer.provideMerge(Migrated.layer),
          Layer.provideMerge(Database.layer({ url: Redacted.make(url), poolSize: 2 }))
        )
      )
    )
  ),
  Layer.provide(migratedDatabaseUrl)
)

/** Rows of tables of the schema that were read, and entries of their indexes. */
const rowsRead = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`SELECT pg_stat_force_next_flush()`
  const [row] = yield* sql<{ rows: string }>`
    SELECT ((SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE schemaname = 'builder')
      + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE schemaname = 'builder'))::text AS rows`
  return Number(row?.rows ?? 0)
})

layer(filled, { timeout: 120_000, excludeTestServices: true })("beside many paid accruals", (it) => {
  const test = <A, E>(
    name: string,
    effect: Effect.Effect<A, E, PgClient.PgClient | Payouts>,
    check: (found: A) => void,
    most = FEW
  ) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const before = yield* rowsRead
        const value = yield* effect
        assert.isAtMost((yield* rowsRead) - before, most)
        check(value)
      })
    )

  test(
    "the candidates of a batch are found by what is owed",
    Effect.flatMap(Payouts, ({ candidates }) => candidates(OPENING)),
    (found) =>
      assert.deepStrictEqual(
        found.map(({ amount }) => amount),
        [BigInt(5 * FRESH)]
      )
  )
  test(
    "what a restore may have forgotten is found by what is owed",
    Effect.flatMap(PgClient.PgClient, (sql) => LostMoney.owed(sql, 1)),
    (owed) => assert.lengthOf(owed, FRESH)
  )
  test(
    "a batch is opened by what is owed",
    Effect.flatMap(Payouts, ({ open }) => open({ ...OPENING, id: "fresh" })),
    ({ total }) => assert.strictEqual(total, BigInt(5 * FRESH))
  )
  test(
    "a batch that takes a part of what is owed reads little more than it takes",
    Effect.flatMap(Payouts, ({ open }) => open({ ...OPENING, chainId: 2, token: OWED, id: "part", maxEntries: LIMIT })),
    ({ lines, more }) => {
      assert.lengthOf(lines, 1)
      assert.isTrue(more)
    },
    20 * LIMIT
  )
})

/** Entries as the release before writes them, each with its outcome. */
const BEFORE = [
  { sweepId: "owed", chainId: 1 },
  { sweepId: "claimed", chainId: 1, status: "open" },
  { sweepId: "paid", chainId: 1, status: "paid" },
  { sweepId: "released", chainId: 1, status: "failed" },
  { sweepId: "chainless" },
  { sweepId: "assigned", assigned: 2 },
  { sweepId: "paid by its sweep", chainId: 1, txHash: hash("paid") }
] as const

const writeBefore = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  for (const entry of BEFORE) {
    const chainId = "chainId" in entry ? entry.chainId : null
    const txHash = "txHash" in entry ? entry.txHash : null
    yield* sql`INSERT INTO builder.ledger_entries
        (kind, builder_id, chain_id, token, earned, paid, sweep_id, tx_hash, created_at, usd)
      VALUES ('accrual', 'alpha', ${chainId}, ${TOKEN}, 5, ${txHash === null ? 0 : 5}, ${entry.sweepId}, ${txHash}, now(), 7)`
    if ("assigned" in entry) {
      yield* sql`INSERT INTO builder.accrual_chains (sweep_id, chain_id, assigned_at)
        VALUES (${entry.sweepId}, ${entry.assigned}, now())`
    }
    if (!("status" in entry)) continue
    const { status } = entry
    yield* sql`INSERT INTO builder.payouts (id, chain_id, token, min_amount, created_at)
      VALUES (${status}, 1, ${TOKEN}, 0, now())`
    yield* sql`INSERT INTO builder.payout_lines (payout_id, builder_id, payout_address, amount, entries)
      VALUES (${status}, 'alpha', ${address(0x80)}, 5, 1)`
    yield* sql`INSERT INTO builder.payout_claims (payout_id, builder_id, entry_id)
      SELECT ${status}, 'alpha', id FROM builder.ledger_entries WHERE sweep_id = ${entry.sweepId}`
    if (status === "open") continue
    yield* sql`UPDATE builder.payouts SET status = ${status}, tx_hash = ${status === "paid" ? hash("payment") : null},
      failure_reason = ${status === "failed" ? "given up" : null}, closed_at = now() WHERE id = ${status}`
    if (status === "failed") yield* sql`UPDATE builder.payout_claims SET released = true WHERE payout_id = ${status}`
  }
  yield* sql`INSERT INTO builder.ledger_entries (kind, builder_id, chain_id, token, earned, paid, payout_id, tx_hash, created_at)
    VALUES ('payment', 'alpha', 1, ${TOKEN}, 0, 5, 'paid', ${hash("payment")}, now())`
  yield* sql`INSERT INTO builder.ledger_entries
      (kind, builder_id, chain_id, token, earned, paid, sweep_id, tx_hash, created_at)
    SELECT 'reversal', builder_id, chain_id, token, -earned, -paid, sweep_id, tx_hash, now() FROM builder.ledger_entries
    WHERE kind = 'accrual' AND sweep_id = 'paid'`
})

const payable = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql<{ shown: string }>`SELECT concat_ws(' ', e.sweep_id, p.chain_id, p.amount, p.usd) AS shown
    FROM builder.payable p JOIN builder.ledger_entries e ON e.id = p.entry_id ORDER BY 1`
  return rows.map(({ shown }) => shown)
})

const EXPECTED = ["assigned 2 5 7", "owed 1 5 7", "paid 1 -5 -7", "released 1 5 7"]

const before = Effect.gen(function* () {
  yield* Migrations.migrate("builder", Object.fromEntries(Object.entries(migrations).filter(([name]) => name < "0024")))
  const sql = yield* PgClient.PgClient
  yield* sql`INSERT INTO builder.builders (id, name, builder_bps, max_builder_bps, payout_address, payout_mode, created_at)
    VALUES ('alpha', 'alpha', 0, 0, ${address(0x80)}, 'ledger', now())`
})

describe("entries that a payout can claim", () => {
  it.effect("are found by the migration", () =>
    Effect.gen(function* () {
      yield* before
      yield* writeBefore
      yield* Migrations.migrate("builder", migrations)
      assert.deepStrictEqual(yield* payable, EXPECTED)
    }).pipe(Effect.provide(testDatabase))
  )

  it.effect("follow what the release before writes, and repairs by hand", () =>
    Effect.gen(function* () {
      yield* before
      yield* Migrations.migrate("builder", migrations)
      yield* writeBefore
      assert.deepStrictEqual(yield* payable, EXPECTED)
      const sql = yield* PgClient.PgClient
      yield* sql`UPDATE builder.payout_claims SET released = NOT released WHERE payout_id IN ('open', 'failed')`
      assert.deepStrictEqual(yield* payable, ["assigned 2 5 7", "claimed 1 5 7", "owed 1 5 7", "paid 1 -5 -7"])
      yield* sql`DELETE FROM builder.payout_claims WHERE payout_id = 'failed'`
      assert.deepStrictEqual(yield* payable, [
        "assigned 2 5 7",
        "claimed 1 5 7",
        "owed 1 5 7",
        "paid 1 -5 -7",
        "released 1 5 7"
      ])
      assert.deepStrictEqual(yield* sql`SELECT * FROM builder.payable_differences`, [])
      yield* sql`UPDATE builder.payable SET amount = amount + 1 WHERE amount < 0`
      yield* sql`DELETE FROM builder.payable WHERE chain_id = 2`
      assert.deepStrictEqual(yield* sql`SELECT kept::text, counted::text FROM builder.payable_differences ORDER BY 1`, [
        { kept: "-4", counted: "-5" },
        { kept: "0", counted: "5" }
      ])
    }).pipe(Effect.provide(testDatabase))
  )
})
