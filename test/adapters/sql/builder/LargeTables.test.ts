/** Sums of the builder backend are read without the rows that they sum up, and pages without the rows of others. */
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Migrated from "../../../../src/adapters/sql/builder/Migrated.ts"
import * as Stores from "../../../../src/adapters/sql/builder/Stores.ts"
import * as Database from "../../../../src/adapters/sql/shared/Database.ts"
import * as Address from "../../../../src/domain/Address.ts"
import type { Hash } from "../../../../src/domain/Hex.ts"
import { startOfDay } from "../../../../src/domain/Sweep.ts"
import { ApiKeys } from "../../../../src/ports/builder/ApiKeys.ts"
import { FirstSteps } from "../../../../src/ports/builder/FirstSteps.ts"
import { KeptData } from "../../../../src/ports/builder/KeptData.ts"
import { type EarningFilter, Ledger } from "../../../../src/ports/builder/Ledger.ts"
import { RevenueBook } from "../../../../src/ports/builder/RevenueBook.ts"
import { type SweepFilter, Sweeps } from "../../../../src/ports/builder/Sweeps.ts"
import { Webhooks } from "../../../../src/ports/builder/Webhooks.ts"
import { register } from "../../../support/BuilderFixtures.ts"
import { TestDatabase, migratedDatabaseUrl } from "../../../support/Postgres.ts"

const ROWS = 20_000

/** Rows of a request's tables that it may read: those outside of its period, and those that it looks up. */
const FEW = 50

const HASH: Hash = `0x${"ab".repeat(32)}`
const TOKEN = `0x${"0".repeat(39)}a`

const RARE = `0x${"0".repeat(39)}b`

/** Rows that differ from all others. Half of the accruals among them are reversed. */
const RARE_ROWS = 20

/** Sweeps of another builder, which are enough for a plan that reads all sweeps in the order of their arrival. */
const LATE = 2_000

/** Deliveries of the endpoint. */
const DELIVERIES = 20_000

/** The oldest rows differ from all others, so a page of them passes over the whole list. */
const rare = Effect.gen(function* () {
  const sql = yield* Database.unlimited
  const at = sql`now() - interval '200 days'`
  yield* sql`INSERT INTO builder.ledger_entries
      (kind, builder_id, chain_id, token, earned, paid, sweep_id, tx_hash, created_at)
    SELECT 'accrual', 'alpha', 9, ${RARE}, 5, 0, ${HASH} || '_' || n, NULL, ${at} FROM generate_series(1, ${RARE_ROWS}::integer) AS n`
  yield* sql`INSERT INTO builder.ledger_entries
      (kind, builder_id, chain_id, token, earned, paid, sweep_id, tx_hash, created_at)
    SELECT 'reversal', 'alpha', 9, ${RARE}, -5, 0, ${HASH} || '_' || n, NULL, now() FROM generate_series(1, ${RARE_ROWS / 2}::integer) AS n`
  yield* sql`INSERT INTO builder.sweeps (intent_id, builder_id, status, started_at, updated_at, owner, source_chain_id,
      dest_chain_id, cross_chain, token_in, amount_in, token_out, min_amount_out, builder_fee, tx_hash)
    SELECT 'rare' || n, 'alpha', 'failed', ${at}, ${at}, ${RARE}, 1, 9, false, ${TOKEN}, 9, ${RARE}, 1, 1, ${HASH}
    FROM generate_series(1, ${RARE_ROWS}::integer) AS n`
  yield* sql`INSERT INTO builder.webhook_endpoints (id, builder_id, url, description, events, secret, created_at)
    VALUES ('hook', 'alpha', 'https://example.com', '', '{}', 'whsec_', now())`
  yield* sql`INSERT INTO builder.webhook_deliveries
      (endpoint_id, message_id, type, payload, state, due_at, created_at, closed_at)
    SELECT 'hook', 'm' || n, CASE WHEN n <= ${RARE_ROWS}::integer THEN 'sweep.failed' ELSE 'sweep.delivered' END, '{}',
      CASE WHEN n <= ${RARE_ROWS}::integer THEN 'failed' ELSE 'delivered' END, now(), now() - make_interval(secs => ${DELIVERIES} - n), now()
    FROM generate_series(1, ${DELIVERIES}::integer) AS n`
})

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
  // Those of another builder come last.
  yield* sql`INSERT INTO builder.sweeps (intent_id, builder_id, status, started_at, updated_at, owner, source_chain_id,
      dest_chain_id, cross_chain, token_in, amount_in, token_out, min_amount_out, builder_fee)
    SELECT 'late' || n, 'beta', 'delivered', now(), now(), ${TOKEN}, 1, 1, false, ${TOKEN}, 9, ${TOKEN}, 1, 1
    FROM generate_series(1, ${LATE}::integer) AS n`
  yield* rare
  yield* sql`INSERT INTO builder.named_keys (builder_id, id, name, scopes, hash, prefix, created_at)
    SELECT 'alpha', 'k' || n, 'k', ARRAY['quote'], '0x' || lpad(to_hex(n), 64, '0'), 'swp_', ${at}
    FROM generate_series(1, ${ROWS}::integer) AS n`
  const { sumUp } = yield* KeptData
  yield* sumUp
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

const rowsRead = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`SELECT pg_stat_force_next_flush()`
  const [row] = yield* sql<{ rows: string }>`
    SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::text AS rows FROM pg_stat_user_tables
    WHERE relname IN ('ledger_entries', 'earnings', 'named_keys', 'revenue', 'sweeps', 'webhook_deliveries')`
  return Number(row?.rows ?? 0)
})

layer(filled, { timeout: 120_000, excludeTestServices: true })("a read beside many rows", (it) => {
  const test = <A, E>(
    name: string,
    effect: Effect.Effect<A, E, ApiKeys | FirstSteps | Ledger | RevenueBook | Sweeps | Webhooks>,
    check: (sum: A) => void,
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

  // Today has no row yet if the test runs at midnight.
  const now = Date.now()
  const period = { fromMs: startOfDay(now, 30), toMs: now + 1_000 }

  test(
    "resolves an API key",
    Effect.flatMap(ApiKeys, ({ resolve }) => resolve(`0x${"7".padStart(64, "0")}`)),
    (found) => assert.strictEqual(Option.getOrThrow(found).key.id, "k7")
  )

  test(
    "finds the first steps of a builder",
    Effect.flatMap(FirstSteps, (steps) => steps.of("alpha")),
    (steps) => assert.sameMembers(Object.keys(steps), ["firstDeliveryAtMs", "firstEarningAtMs"])
  )

  test(
    "finds the first steps of a builder whose sweeps came after those of others",
    Effect.flatMap(FirstSteps, (steps) => steps.of("beta")),
    (steps) => assert.sameMembers(Object.keys(steps), ["firstDeliveryAtMs"])
  )

  test(
    "sums up the treasury",
    Effect.flatMap(Ledger, ({ allTotals }) => allTotals),
    (totals) =>
      assert.strictEqual(
        totals.reduce((sum, { earned }) => sum + earned, 0n),
        BigInt(5 * (ROWS + RARE_ROWS / 2))
      )
  )
  test(
    "sums up a builder's balances",
    Effect.flatMap(Ledger, ({ totals }) => totals("alpha")),
    (totals) => assert.lengthOf(totals, 4)
  )
  test(
    "sums up a builder's earnings",
    Effect.flatMap(Ledger, ({ earnings }) => earnings("alpha", period)),
    ({ days, tokens }) => {
      assert.isAtLeast(days.length, 30)
      assert.isAtLeast(tokens.length, 3)
    }
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

  /** Rows of a page of each pair of a chain and a token and of each status, of which the newest are taken. */
  const MERGED = 300
  const DAY_MILLIS = 86_400_000
  const long = { fromMs: now - 210 * DAY_MILLIS, toMs: now - 190 * DAY_MILLIS }
  const address = Address.of(RARE)
  const of = (filter: EarningFilter) =>
    Effect.flatMap(Ledger, ({ activity }) => activity("alpha", { ...filter, limit: PAGE }))
  const accruals: ReadonlyArray<readonly [string, EarningFilter]> = [
    ["of a rare status", { status: "reversed" }],
    ["of a rare token", { token: address }],
    ["of a rare chain", { chainId: 9 }],
    ["of a rare token, chain and status", { token: address, chainId: 9, status: "reversed" }],
    ["of a rare status on any chain of a token", { token: address, status: "reversed" }],
    ["of a long-gone time", long],
    ["of a long-gone time, a chain and a status", { ...long, chainId: 9, status: "owed" }],
    ["of a transaction", { settlement: HASH, status: "reversed" }]
  ]
  for (const [name, filter] of accruals) {
    test(`lists accruals ${name}`, of(filter), (page) => assert.lengthOf(page, PAGE), MERGED)
  }
  test(
    "lists none where no accrual matches",
    of({ token: Address.of(TOKEN), status: "reversed" }),
    (page) => assert.lengthOf(page, 0),
    MERGED
  )
  test(
    "lists accruals after one of them",
    Effect.gen(function* () {
      const { activity } = yield* Ledger
      const [newest] = yield* activity("alpha", { chainId: 9, limit: 1 })
      return yield* activity("alpha", { chainId: 9, limit: PAGE, before: newest?.id ?? "" })
    }),
    (page) => assert.lengthOf(page, PAGE),
    MERGED
  )

  const sweepsOf = (filter: SweepFilter) =>
    Effect.flatMap(Sweeps, ({ list }) => list("alpha", { ...filter, limit: PAGE }))
  const sweeps: ReadonlyArray<readonly [string, SweepFilter]> = [
    ["of a rare status", { status: "failed" }],
    ["to a rare token", { token: address }],
    ["to a rare chain", { chainId: 9 }],
    ["to a rare token on its chain in a status", { token: address, chainId: 9, status: "failed" }],
    ["of a long-gone time", long],
    ["of an owner", { search: { _tag: "Address", address } }],
    ["of a transaction", { search: { _tag: "Hash", hash: HASH } }]
  ]
  for (const [name, filter] of sweeps) {
    test(`lists sweeps ${name}`, sweepsOf(filter), (page) => assert.lengthOf(page, PAGE), MERGED)
  }
  test(
    "finds the sweeps of transactions",
    Effect.flatMap(Sweeps, ({ ofTransactions }) => ofTransactions("alpha", [HASH])),
    (found) => assert.lengthOf(found, RARE_ROWS)
  )

  const deliveriesOf = (page: Partial<Parameters<Webhooks["Service"]["deliveries"]>[2]>) =>
    Effect.flatMap(Webhooks, ({ deliveries }) => deliveries("alpha", "hook", { limit: PAGE, ...page }))
  const deliveries: ReadonlyArray<readonly [string, Parameters<typeof deliveriesOf>[0]]> = [
    ["of any state", {}],
    ["of a rare state", { state: "failed" }],
    ["of a rare type", { type: "sweep.failed" }],
    ["of a rare state and type", { state: "failed", type: "sweep.failed" }],
    ["of a long-gone time", { toMs: now - (DELIVERIES - 2_000) * 1_000 }]
  ]
  for (const [name, page] of deliveries) {
    test(`lists deliveries ${name}`, deliveriesOf(page), (rows) => assert.lengthOf(rows, PAGE), MERGED)
  }
  test(
    "queues failed deliveries again",
    Effect.flatMap(Webhooks, ({ replayFailed }) => replayFailed("alpha", "hook", PAGE, { type: "sweep.failed" })),
    (queued) => assert.strictEqual(queued, PAGE),
    MERGED
  )
})
