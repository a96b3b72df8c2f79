/** Fills the orchestrator's tables with sweeps of the past, beside a queue of today. */
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"

/** Sweeps of the past. */
export const SWEEPS = 100_000

/** Relay transactions of the past: each carried several of the sweeps. */
export const TRANSACTIONS = SWEEPS / 10

/** Intents in each of the other statuses. */
const OPEN = 1_000

const hex = (sql: PgClient.PgClient, digits: number) =>
  sql`'0x' || lpad(to_hex(n), ${sql.literal(String(digits))}, '0')`

/**
 * The terms are short. Small rows make reading the whole table cheap, so a statement that still uses its index also does so with
 * real ones.
 */
const fillIntents = (sql: PgClient.PgClient, sweeps: number) =>
  Effect.gen(function* () {
    const total = sweeps + 4 * OPEN
    const status = sql`CASE WHEN n <= ${sweeps} THEN CASE WHEN n % 100 = 0 THEN 'failed' ELSE 'delivered' END
      WHEN n <= ${sweeps + OPEN} THEN 'quoted' WHEN n <= ${sweeps + 2 * OPEN} THEN 'settled_source' ELSE 'submitted' END`
    const bytes = sql`decode(lpad(to_hex(n), 64, '0'), 'hex')`
    yield* sql`SELECT orchestrator.add_intent_partitions(
      now() - make_interval(secs => 2 * ${total}::integer), now() + interval '3 months')`
    yield* sql`
      INSERT INTO orchestrator.intent_states (
        number, id, source_chain_id, owner, order_nonce, order_digest, dest_chain_id, deadline, builder_id, status,
        submitted_at, tx_hash, delivery_tx_hash, failure_reason, burned_at, created_at, updated_at
      )
      SELECT orchestrator.first_number(at) | n, 'i' || n, 1 + n % 2, ${hex(sql, 40)}, 0, ${bytes}, 7, 1000,
        'bld' || n % 50, status, CASE WHEN status <> 'quoted' THEN at END,
        CASE WHEN status <> 'quoted' THEN ${bytes} END, CASE WHEN status = 'delivered' THEN ${bytes} END,
        CASE WHEN status = 'failed' THEN 'reverted' END, CASE WHEN status = 'failed' THEN at END, at, at
      FROM (
        SELECT n, ${status} AS status, now() - make_interval(secs => 2 * (${total}::integer - n)) AS at
        FROM generate_series(1, ${total}::integer) AS n
      ) AS s`
    yield* sql`
      INSERT INTO orchestrator.intent_terms (
        number, quoted_at_block, gas, token_in, amount_in, fee_amount, builder_fee, token_out, min_amount_out,
        swap_target, swap_calldata, user_id, payout_mode, quote
      )
      SELECT number, 17, 210000, owner, 1, 1, 0, owner, 1, owner, '', 'user', 'ledger',
        jsonb_build_object('total', '3', 'expiresAtMs', 1, 'settlementAddress', owner, 'estimatedAmountOut', '1',
          'minAmountOut', '1', 'provider', 'p', 'estimatedSeconds', 12)
      FROM orchestrator.intent_states`
  })

/** Signatures, queues and history of the intents that are there. */
const fillQueues = (sql: PgClient.PgClient) =>
  Effect.gen(function* () {
    const word = sql`decode(repeat('0', 64), 'hex')`
    yield* sql`
      INSERT INTO orchestrator.intent_signatures (
        number, authorization_chain_id, authorization_nonce, y_parity, delegate, r, s, signature
      )
      SELECT number, 1, 0, 0, decode(repeat('0', 40), 'hex'), ${word}, ${word}, '' FROM orchestrator.intent_states
      WHERE status <> 'quoted'`
    yield* sql`
      INSERT INTO orchestrator.open_quotes (number, intent_id, created_at)
      SELECT number, id, created_at FROM orchestrator.intent_states WHERE status = 'quoted'`
    yield* sql`
      INSERT INTO orchestrator.intent_queue (intent_id, source_chain_id, account, submitted_at, deadline)
      SELECT id, source_chain_id, source_chain_id || ':' || owner, submitted_at, deadline
      FROM orchestrator.intent_states WHERE status = 'submitted'`
    yield* sql`
      INSERT INTO orchestrator.intent_deliveries (
        intent_id, source_chain_id, dest_chain_id, delivered, since, look_at
      )
      SELECT id, source_chain_id, dest_chain_id, false, updated_at, updated_at FROM orchestrator.intent_states
      WHERE status = 'settled_source'`
    yield* sql`
      INSERT INTO orchestrator.intent_history (number, status, at)
      SELECT number, 'submitted', submitted_at FROM orchestrator.intent_states
      WHERE status NOT IN ('quoted', 'submitted')`
    // Events outside all months.
    yield* sql`
      INSERT INTO orchestrator.intent_history (number, status, at)
      SELECT orchestrator.first_number('2010-01-01T00:00Z') | n, 'submitted', now()
      FROM generate_series(1, ${20 * OPEN}::integer) AS n`
  })

const fillRelays = (sql: PgClient.PgClient) =>
  Effect.gen(function* () {
    yield* sql`INSERT INTO orchestrator.lanes VALUES (1, ${`0x${"0".repeat(36)}1a4e`}, ${TRANSACTIONS + 100})`
    yield* sql`
      INSERT INTO orchestrator.relay_transactions (chain_id, lane, nonce, kind, status, created_at, finalized_at,
        included_hash, included_block_number, included_block_hash)
      SELECT 1, ${`0x${"0".repeat(36)}1a4e`}, n, 'sweep', CASE WHEN n > ${TRANSACTIONS - 20} THEN 'pending' ELSE 'final' END,
        now(), CASE WHEN n <= ${TRANSACTIONS - 20} THEN now() END, CASE WHEN n <= ${TRANSACTIONS - 20} THEN ${hex(sql, 64)} END,
        CASE WHEN n <= ${TRANSACTIONS - 20} THEN n END, CASE WHEN n <= ${TRANSACTIONS - 20} THEN ${hex(sql, 64)} END
      FROM generate_series(1, ${TRANSACTIONS}::integer) AS n`
    yield* sql`
      INSERT INTO orchestrator.relay_attempts (hash, transaction_id, raw, max_fee_per_gas, max_priority_fee_per_gas,
        signed_at)
      SELECT ${hex(sql, 64)}, id, '\\x00', 1, 1, now() FROM (SELECT id, nonce AS n FROM orchestrator.relay_transactions) t`
    yield* sql`
      INSERT INTO orchestrator.relay_transaction_intents (transaction_id, intent_id, position, account, active)
      SELECT id, 'i' || nonce, 0, '1:' || nonce, status <> 'final' FROM orchestrator.relay_transactions`
  })

const fillOutbox = (sql: PgClient.PgClient, sweeps: number) =>
  Effect.gen(function* () {
    yield* sql`
      INSERT INTO orchestrator.outbox (idempotency_key, intent_id, message, state, due_at, created_at, closed_at)
      SELECT 'revenue:' || n, 'i' || n,
        jsonb_build_object('_tag', 'Revenue', 'revenue', jsonb_build_object('sweepId', n::text, 'chainId', '1',
          'token', ${hex(sql, 40)}, 'amount', '1', 'txHash', ${hex(sql, 64)}, 'settledAtMs', 1)),
        CASE WHEN n > ${sweeps - 500} THEN 'pending' ELSE 'delivered' END, now(), now(),
        CASE WHEN n <= ${sweeps - 500} THEN now() END
      FROM generate_series(1, ${sweeps}::integer) AS n`
  })

/** Earnings of 90 days: six chains, four tiers, 100 builders, and changes that are not summed up yet. */
const fillMoney = (sql: PgClient.PgClient) =>
  Effect.gen(function* () {
    const sums = sql.literal("100, 1, 2, 10 ^ 20, 10 ^ 19, 10 ^ 18, 0")
    const days = sql.literal("generate_series(current_date - 89, current_date, interval '1 day') AS d (day)")
    yield* sql`INSERT INTO orchestrator.money_chain_days
      SELECT day::date, chain, tier, ${sums}
      FROM ${days}, generate_series(1, 6) AS chain, unnest(ARRAY['', 'tier1', 'tier2', 'tier3']) AS tier`
    yield* sql`INSERT INTO orchestrator.money_builder_days
      SELECT day::date, 'builder-' || builder, ${sums} FROM ${days}, generate_series(1, 100) AS builder`
    yield* sql`INSERT INTO orchestrator.money_parts
      SELECT current_date, 1 + n % 6, 'builder-' || n % 100, 'tier1', ${sums} FROM generate_series(1, 2000) AS n`
  })

/** Fills every table that grows with the number of sweeps. */
export const fill = (sql: PgClient.PgClient, sweeps = SWEEPS) =>
  Effect.gen(function* () {
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`SET LOCAL statement_timeout = 0`
        // Neither triggers nor foreign keys, row by row.
        yield* sql`SET LOCAL session_replication_role = replica`
        yield* fillIntents(sql, sweeps)
        yield* fillQueues(sql)
        yield* fillRelays(sql)
        yield* fillOutbox(sql, sweeps)
        yield* fillMoney(sql)
        yield* sql`INSERT INTO orchestrator.intent_counts
          SELECT status, count(*) FROM orchestrator.intent_states GROUP BY status
          ON CONFLICT (status) DO UPDATE SET intents = excluded.intents`
      })
    )
    yield* sql`SET statement_timeout = 0`
    yield* sql`VACUUM ANALYZE`
    yield* sql`RESET statement_timeout`
  })
