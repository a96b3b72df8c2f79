/** Sums of the builder backend are read without the rows that they sum up, and pages without the rows of others. */
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Migrated from "../../../../src/adapters/sql/builder/Migrated.ts"
import * as Stores from "../../../../src/adapters/sql/builder/Stores.ts"
import * as Database from "../../../../src/adapters/sql/shared/Database.ts"
import { startOfDay } from "../../../../src/domain/Sweep.ts"
import { KeptData } from "../../../../src/ports/builder/KeptData.ts"
import { Ledger } from "../../../../src/ports/builder/Ledger.ts"
import { RevenueBook } from "../../../../src/ports/builder/RevenueBook.ts"
import { Sweeps } from "../../../../src/ports/builder/Sweeps.ts"
import { register } from "../../../support/BuilderFixtures.ts"
import { TestDatabase, migratedDatabaseUrl } from "../../../support/Postgres.ts"

const ROWS = 20_000

/** Rows of a request's tables that it may read: those outside of its period, and those that it looks up. */
const FEW = 50

const HASH = `0x${"ab".repeat(32)}`
const TOKEN = `0x${"0".repeat(39)}a`

/** Rows of the last hundred days, spread evenly. */
const fill = Effect.gen(function* () {
  yield* register
  const sql = yield* Database.unlimited
  const at = sql`now() - make_interval(secs => 432 * n)`
  yield* sql`INSERT INTO builder.ledger_entries
      (kind, builder_id, chain_id, token, earned, paid, sweep_id, tx_hash, created_at)
    SELECT 'accrual', 'alpha', 1 + n % 3, ${TOKEN}, 5, 0, 's' || n, NULL, ${at} FROM generate_series(1, ${ROWS}::integer) AS n`
  yield* sql`INSERT INTO builder.revenue (sweep_id, chain_id, token, amount, tx_hash, settled_at, booked_at)
    SELECT 's' || n, 1 + n % 3, ${TOKEN}, 7, ${HASH}, ${at}, ${at} FROM generate_series(1, ${ROWS}::integer) AS n`
  yield* sql`INSERT INTO builder.sweeps (intent_id, builder_id, status, started_at, updated_at, owner, source_chain_id,
      dest_chain_id, cross_chain, token_in, amount_in, token_out, min_amount_out, builder_fee)
    SELECT 's' || n, 'alpha', 'delivered', ${at}, ${at}, ${TOKEN}, 1 + n % 3, 1, false, ${TOKEN}, 9, ${TOKEN}, 1, 1
    FROM generate_series(1, ${ROWS}::integer) AS n`
  const { sumUp } = yield* KeptData
  yield* sumUp
  yield* sql`VACUUM ANALYZE`
}).pipe(Effect.scoped, Effect.provide(Reactivity.layer))

/** One connection runs every statement and so has all of its statistics. */
const filled = Layer.effectDiscard(fill).pipe(
  Layer.provideMerge(
    Layer.unwrap(
      Effect.map(TestDatabase, ({ url }) =>
        Stores.layer.pipe(
          Layer.provideMerge(Migrated.layer),
          Layer.provideMerge(Database.layer({ url: Redacted.make(url), poolSize: 1 }))
        )
      )
    )
  ),
  Layer.provide(migratedDatabaseUrl)
)

const rowsRead = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`SELECT pg_stat_force_next_flush()`
  const [row] = yield* sql<{ rows: string }>`
    SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::text AS rows FROM pg_stat_user_tables
    WHERE relname IN ('ledger_entries', 'revenue', 'sweeps')`
  return Number(row?.rows ?? 0)
})

layer(filled, { timeout: 120_000, excludeTestServices: true })("a read beside many rows", (it) => {
  const test = <A, E>(
    name: string,
    effect: Effect.Effect<A, E, Ledger | RevenueBook | Sweeps>,
    check: (sum: A) => void
  ) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const before = yield* rowsRead
        const value = yield* effect
        assert.isAtMost((yield* rowsRead) - before, FEW)
        check(value)
      })
    )

  // Today has no row yet if the test runs at midnight.
  const now = Date.now()
  const period = { fromMs: startOfDay(now, 30), toMs: now + 1_000 }

  test(
    "sums up the treasury",
    Effect.flatMap(Ledger, ({ allTotals }) => allTotals),
    (totals) =>
      assert.strictEqual(
        totals.reduce((sum, { earned }) => sum + earned, 0n),
        BigInt(5 * ROWS)
      )
  )
  test(
    "sums up a builder's balances",
    Effect.flatMap(Ledger, ({ totals }) => totals("alpha")),
    (totals) => assert.lengthOf(totals, 3)
  )
  test(
    "sums up revenue",
    Effect.flatMap(RevenueBook, ({ daily }) => daily(period)),
    (days) => assert.isAtLeast(new Set(days.map(({ day }) => day)).size, 30)
  )
  test(
    "sums up a builder's sweeps",
    Effect.flatMap(Sweeps, ({ totals }) => totals("alpha", period)),
    ({ counts, days }) => {
      assert.isAtLeast(days.length, 30)
      assert.isAtLeast(counts.delivered, 29 * 200)
    }
  )

  const PAGE = 10
  test(
    "lists a builder's newest accruals",
    Effect.flatMap(Ledger, ({ activity }) => activity("alpha", { limit: PAGE })),
    (page) => assert.lengthOf(page, PAGE)
  )
  test(
    "lists a builder's entries after one of them",
    Effect.flatMap(Ledger, ({ entries }) => entries("alpha", { after: String(ROWS / 2), limit: PAGE })),
    (page) => assert.lengthOf(page, PAGE)
  )
  test(
    "lists a builder's newest sweeps",
    Effect.flatMap(Sweeps, ({ list }) => list("alpha", { limit: PAGE })),
    (page) => assert.lengthOf(page, PAGE)
  )
})
