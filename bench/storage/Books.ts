/** Times of the builder backend's sums and lists, with many booked sweeps behind them. */
import type { PgClient } from "@effect/sql-pg"
import { Clock, Effect } from "effect"
import { startOfDay } from "../../src/domain/Sweep.ts"
import { Ledger } from "../../src/ports/builder/Ledger.ts"
import { RevenueBook } from "../../src/ports/builder/RevenueBook.ts"
import { Sweeps } from "../../src/ports/builder/Sweeps.ts"
import { type Measures, timed } from "./Reads.ts"

/** Builders, and the tokens and chains of their sweeps. */
const [BUILDERS, TOKENS, CHAINS] = [100, 20, 6]

/** Sweeps are spread evenly over two years. */
const DAYS = 730

/** Rows that the kept sums have not taken up yet: more than a second of a busy service. */
const FRESH = 2_000

/** Bookings, revenue and sweeps numbered from `from` to `to`. */
const book = (sql: PgClient.PgClient, from: number, to: number, last: number) =>
  Effect.gen(function* () {
    const numbers = sql`generate_series(${from}::integer, ${to}::integer) AS n`
    const at = sql`now() - make_interval(secs => (${last}::integer - n) * ${(DAYS * 86_400) / last}::float8)`
    const builder = sql`'builder-' || n % ${sql.literal(String(BUILDERS))}`
    const token = sql`'0x' || lpad(to_hex(1 + (n / 7) % ${sql.literal(String(TOKENS))}), 40, '0')`
    const chain = sql`1 + (n / 11) % ${sql.literal(String(CHAINS))}`
    const hash = sql`'0x' || lpad(to_hex(n), 64, '0')`
    yield* sql`INSERT INTO builder.ledger_entries
        (kind, builder_id, chain_id, token, earned, paid, sweep_id, tx_hash, created_at)
      SELECT 'accrual', ${builder}, ${chain}, ${token}, n, CASE WHEN n % 2 = 0 THEN n ELSE 0 END, 's' || n,
        CASE WHEN n % 2 = 0 THEN ${hash} END, ${at} FROM ${numbers}`
    yield* sql`INSERT INTO builder.revenue (sweep_id, chain_id, token, amount, tx_hash, settled_at, booked_at)
      SELECT 's' || n, ${chain}, ${token}, n, ${hash}, ${at}, ${at} FROM ${numbers}`
    yield* sql`INSERT INTO builder.sweeps (intent_id, builder_id, status, started_at, updated_at, owner, source_chain_id,
        dest_chain_id, cross_chain, token_in, amount_in, token_out, min_amount_out, builder_fee, tx_hash)
      SELECT 's' || n, ${builder}, CASE WHEN n % 100 = 0 THEN 'failed' ELSE 'delivered' END, ${at}, ${at}, ${token}, ${chain},
        1, false, ${token}, n, ${token}, 1, 1, ${hash} FROM ${numbers}`
  })

/** Sums as the service would have kept them. */
const sumUp = (sql: PgClient.PgClient) =>
  Effect.gen(function* () {
    yield* sql`INSERT INTO builder.ledger_sums
      SELECT builder_id, token, chain_id, sum(earned), sum(paid), count(*) FROM builder.ledger_entries GROUP BY 1, 2, 3`
    yield* sql`INSERT INTO builder.treasury_sums
      SELECT token, chain_id, sum(earned), sum(paid), sum(entries) FROM builder.ledger_sums GROUP BY 1, 2`
    yield* sql`INSERT INTO builder.earnings SELECT * FROM builder.listed_accruals`
    yield* sql`INSERT INTO builder.payable SELECT * FROM builder.payable_entries`
    yield* sql`INSERT INTO builder.earning_days
      SELECT builder_id, day, chain_id, token, sum(earned), sum(earned_usd), sum(earned_unpriced), sum(paid), sum(paid_usd),
        sum(paid_unpriced), sum(sweeps)::bigint
      FROM builder.earning_parts GROUP BY 1, 2, 3, 4`
    yield* sql`INSERT INTO builder.revenue_days
      SELECT (settled_at AT TIME ZONE 'UTC')::date, chain_id, token, sum(amount), count(*) FROM builder.revenue
      GROUP BY 1, 2, 3`
    yield* sql`INSERT INTO builder.sweep_days
      SELECT builder_id, (started_at AT TIME ZONE 'UTC')::date, status, source_chain_id, token_in, sum(amount_in), count(*)
      FROM builder.sweeps GROUP BY 1, 2, 3, 4, 5`
  })

/** Fills the builder backend's tables with booked sweeps, the newest of which no kept sum has taken up. */
export const fill = (sql: PgClient.PgClient, sweeps: number) =>
  Effect.gen(function* () {
    yield* sql`INSERT INTO builder.builders (id, name, builder_bps, max_builder_bps, payout_address, payout_mode, created_at)
      SELECT 'builder-' || n, 'Builder ' || n, 10, 100, '0x' || lpad(to_hex(n + 1), 40, '0'), 'ledger', now()
      FROM generate_series(0, ${BUILDERS - 1}::integer) AS n`
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`SET LOCAL statement_timeout = 0`
        // Neither triggers nor foreign keys, row by row.
        yield* sql`SET LOCAL session_replication_role = replica`
        yield* book(sql, 1, sweeps - FRESH, sweeps)
        yield* sumUp(sql)
      })
    )
    yield* book(sql, sweeps - FRESH + 1, sweeps, sweeps)
    yield* sql`SET statement_timeout = 0`
    yield* sql`VACUUM ANALYZE`
    yield* sql`RESET statement_timeout`
  })

/** Kept sums that differ from their rows. It reads every row. */
export const differences = (sql: PgClient.PgClient) =>
  Effect.gen(function* () {
    yield* sql`SET statement_timeout = 0`
    return (yield* sql`SELECT * FROM builder.sum_differences`).length
  })

/** Times of the reads, and the tables and indexes that each of them used. */
export const measured: Effect.Effect<Measures, unknown, PgClient.PgClient | Ledger | RevenueBook | Sweeps> = Effect.gen(
  function* () {
    const ledger = yield* Ledger
    const revenue = yield* RevenueBook
    const sweeps = yield* Sweeps
    const now = yield* Clock.currentTimeMillis
    const period = (days: number) => ({ fromMs: startOfDay(now, days - 1), toMs: now })
    const builder = "builder-7"
    return yield* Effect.all({
      treasury: timed(ledger.allTotals),
      balances: timed(ledger.totals(builder)),
      revenueOf30Days: timed(revenue.daily(period(30))),
      revenueOf90Days: timed(revenue.daily(period(90))),
      totalsOf30Days: timed(sweeps.totals(builder, period(30))),
      totalsOf90Days: timed(sweeps.totals(builder, period(90))),
      earningsOf90Days: timed(ledger.earnings(builder, period(90))),
      activity: timed(ledger.activity(builder, { limit: 50 })),
      owedActivity: timed(ledger.activity(builder, { limit: 50, status: "owed" })),
      activityOfChain: timed(ledger.activity(builder, { limit: 50, chainId: 3 })),
      entries: timed(ledger.entries(builder, { limit: 50 })),
      sweeps: timed(sweeps.list(builder, { limit: 50 })),
      sweepsOfChain: timed(sweeps.list(builder, { limit: 50, chainId: 3 })),
      failedSweeps: timed(sweeps.list(builder, { limit: 50, status: "failed" }))
    })
  }
)
