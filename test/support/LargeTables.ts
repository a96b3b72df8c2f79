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
 * The documents hold only what the table's columns are generated from. Small rows make reading the whole table cheap, so a
 * statement that still uses its index also does so with real ones.
 */
export const fill = (sql: PgClient.PgClient, sweeps = SWEEPS) =>
  Effect.gen(function* () {
    const total = sweeps + 4 * OPEN
    const status = sql`CASE WHEN n <= ${sweeps} THEN CASE WHEN n % 100 = 0 THEN 'failed' ELSE 'delivered' END
      WHEN n <= ${sweeps + OPEN} THEN 'quoted' WHEN n <= ${sweeps + 2 * OPEN} THEN 'settled_source' ELSE 'submitted' END`
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`SET LOCAL statement_timeout = 0`
        // Neither triggers nor foreign keys, row by row.
        yield* sql`SET LOCAL session_replication_role = replica`
        yield* sql`
          INSERT INTO orchestrator.intents (
            id, quote, "order", order_digest, quoted_at_block, gas, user_id, builder_id, payout_mode, status, submission,
            submitted_at, tx_hash, delivery_tx_hash, failure_reason, created_at, updated_at
          )
          SELECT 'i' || n,
            jsonb_build_object('id', 'i' || n, 'sourceChainId', 1 + n % 2, 'total', '3', 'crossChain', true,
              'expiresAtMs', 1, 'settlementAddress', ${hex(sql, 40)}, 'estimatedAmountOut', '1', 'minAmountOut', '1',
              'provider', 'p', 'estimatedSeconds', 12),
            jsonb_build_object('owner', ${hex(sql, 40)}, 'nonce', '0', 'deadline', '1000', 'destChainId', '7',
              'tokenIn', ${hex(sql, 40)}, 'amountIn', '1', 'feeAmount', '1', 'builder', ${hex(sql, 40)}, 'builderFee', '0',
              'tokenOut', ${hex(sql, 40)}, 'minAmountOut', '1', 'destination', ${hex(sql, 40)},
              'swapTarget', ${hex(sql, 40)}, 'swapCalldata', '0x'),
            ${hex(sql, 64)}, 17, 210000, 'user', 'bld' || n % 50, 'ledger', status,
            CASE WHEN status <> 'quoted' THEN '{"signature":"0x","authorization":{"address":"0x00000000000000000000000000000000000000aa","chainId":"1","nonce":"0","r":"0x","s":"0x","yParity":0}}'::jsonb END,
            CASE WHEN status <> 'quoted' THEN at END, CASE WHEN status <> 'quoted' THEN ${hex(sql, 64)} END,
            CASE WHEN status = 'delivered' THEN ${hex(sql, 64)} END, CASE WHEN status = 'failed' THEN 'reverted' END, at, at
          FROM (
            SELECT n, ${status} AS status, now() - make_interval(secs => 2 * (${total}::integer - n)) AS at
            FROM generate_series(1, ${total}::integer) AS n
          ) AS s`
        yield* sql`
          INSERT INTO orchestrator.intent_events (intent_id, event, status, at)
          SELECT 'i' || n, event, status, now() - make_interval(secs => 2 * (${total}::integer - n))
          FROM generate_series(1, ${sweeps}::integer) AS n, (VALUES ('Submitted', 'submitted')) AS e (event, status)`
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
        yield* sql`
          INSERT INTO orchestrator.outbox (idempotency_key, intent_id, message, state, due_at, created_at, closed_at)
          SELECT 'revenue:' || n, 'i' || n,
            jsonb_build_object('_tag', 'Revenue', 'revenue', jsonb_build_object('sweepId', n::text, 'chainId', '1',
              'token', ${hex(sql, 40)}, 'amount', '1', 'txHash', ${hex(sql, 64)}, 'settledAtMs', 1)),
            CASE WHEN n > ${sweeps - 500} THEN 'pending' ELSE 'delivered' END, now(), now(),
            CASE WHEN n <= ${sweeps - 500} THEN now() END
          FROM generate_series(1, ${sweeps}::integer) AS n`
        yield* sql`INSERT INTO orchestrator.intent_counts
          SELECT status, count(*) FROM orchestrator.intents GROUP BY status
          ON CONFLICT (status) DO UPDATE SET intents = excluded.intents`
      })
    )
    yield* sql`SET statement_timeout = 0`
    yield* sql`VACUUM ANALYZE`
    yield* sql`RESET statement_timeout`
  })
