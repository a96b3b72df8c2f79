/** Relay transactions in PostgreSQL. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer } from "effect"
import { FUTURE_MILLIS } from "../../../domain/Age.ts"
import { RelayTransactions } from "../../../ports/orchestrator/RelayTransactions.ts"
import { guarded, timestamp } from "../shared/Database.ts"
import * as RelayAllocation from "./RelayAllocation.ts"
import * as RelayAttempts from "./RelayAttempts.ts"
import * as RelayEndings from "./RelayEndings.ts"
import * as RelayTransactionRow from "./RelayTransactionRow.ts"

const setInclusions = (sql: PgClient.PgClient): RelayTransactions["Service"]["setInclusions"] =>
  Effect.fnUntraced(function* (included) {
    if (included.length === 0) return
    const rows = included.map(({ id, inclusion: { blockHash, blockNumber, hash } }) => ({
      id,
      hash,
      block_number: String(blockNumber),
      block_hash: blockHash
    }))
    // Locked in the order of their ids, so that two processes cannot wait for each other.
    yield* sql`
      WITH included AS (
        SELECT * FROM jsonb_to_recordset(${sql.json(rows)}) AS i (id bigint, hash text, block_number bigint, block_hash text)
      ), locked AS (
        SELECT t.id FROM orchestrator.relay_transactions t JOIN included USING (id)
        WHERE t.status <> 'final' ORDER BY t.id FOR UPDATE OF t
      )
      UPDATE orchestrator.relay_transactions t
      SET status = 'mined', included_hash = included.hash, included_block_number = included.block_number,
        included_block_hash = included.block_hash
      FROM locked JOIN included USING (id)
      WHERE t.id = locked.id AND t.status <> 'final'`
  }, guarded("setInclusions"))

const clearInclusion = (sql: PgClient.PgClient): RelayTransactions["Service"]["clearInclusion"] =>
  Effect.fnUntraced(function* (id, { blockHash, hash }) {
    const cleared = yield* sql`
      UPDATE orchestrator.relay_transactions
      SET status = 'pending', included_hash = NULL, included_block_number = NULL, included_block_hash = NULL
      WHERE id = ${id}::bigint AND status = 'mined' AND included_hash = ${hash} AND included_block_hash = ${blockHash}
      RETURNING id`
    return cleared.length > 0
  }, guarded("clearInclusion"))

const hourOf = (sql: PgClient.PgClient, sinceMs: number) => sql`date_trunc('hour', ${timestamp(sinceMs)}::timestamptz)`

const paid = (sql: PgClient.PgClient): RelayTransactions["Service"]["paid"] =>
  Effect.fnUntraced(function* (chainId, sinceMs) {
    const [row] = yield* sql<{ wei: string | null }>`
      SELECT sum(wei)::text AS wei FROM orchestrator.relay_spending
      WHERE chain_id = ${chainId} AND hour >= ${hourOf(sql, sinceMs)}`
    return BigInt(row?.wei ?? 0)
  }, guarded("paid"))

const spending = (sql: PgClient.PgClient): RelayTransactions["Service"]["spending"] =>
  Effect.fnUntraced(function* (chainId, sinceMs) {
    const since = hourOf(sql, sinceMs)
    const [row] = yield* sql<{ wei: string }>`
      SELECT (
        coalesce((
          SELECT sum(wei) FROM orchestrator.relay_spending WHERE chain_id = ${chainId} AND hour >= ${since}
        ), 0) + coalesce((
          SELECT sum(t.reserved) FROM orchestrator.relay_transactions t
          WHERE t.chain_id = ${chainId} AND t.status <> 'final' AND (
            t.status = 'mined' OR t.reopened OR t.created_at >= ${since} OR EXISTS (
              SELECT FROM orchestrator.relay_transaction_intents l WHERE l.transaction_id = t.id AND l.active
            )
          )
        ), 0)
      )::text AS wei`
    return BigInt(row?.wei ?? 0)
  }, guarded("spending"))

const nextNonce = (sql: PgClient.PgClient): RelayTransactions["Service"]["nextNonce"] =>
  Effect.fnUntraced(function* (chainId, lane) {
    const [row] = yield* sql<{ next: string }>`
      SELECT (max(nonce) + 1)::text AS next FROM orchestrator.relay_transactions
      WHERE chain_id = ${chainId} AND lane = ${lane} AND (status <> 'final' OR included_hash IS NOT NULL)`
    return BigInt(row?.next ?? 0)
  }, guarded("nextNonce"))

const fronts = (sql: PgClient.PgClient): RelayTransactions["Service"]["fronts"] =>
  Effect.fnUntraced(function* (chainId) {
    const rows = yield* sql`
      SELECT t.lane, min(newest.max_fee_per_gas)::text AS max_fee_per_gas, min(t.created_at) AS created_at,
        array_agg(t.nonce::text ORDER BY t.nonce) AS nonces, array_agg(t.reserved::text ORDER BY t.nonce) AS reserved
      FROM orchestrator.relay_transactions t
      CROSS JOIN LATERAL (
        SELECT a.max_fee_per_gas FROM orchestrator.relay_attempts a
        WHERE a.transaction_id = t.id ORDER BY a.position DESC LIMIT 1
      ) newest
      WHERE t.chain_id = ${chainId} AND t.status = 'pending'
      GROUP BY t.lane
      ORDER BY t.lane`
    return RelayTransactionRow.fronts(rows)
  }, guarded("fronts"))

const survey = (
  sql: PgClient.PgClient,
  bytes: RelayTransactionRow.SignedBytes
): RelayTransactions["Service"]["survey"] =>
  Effect.fnUntraced(function* (chainId) {
    const known = bytes.known()
    const rows = yield* sql<{ id: bigint; database_ms: number }>`
      SELECT t.*, (extract(epoch FROM statement_timestamp()) * 1000)::float8 AS database_ms, carried.intent_ids, carried.wanted_until,
        (
          SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
            'hash', a.hash,
            'raw', CASE WHEN a.hash <> ALL(${[...known.keys()]}) THEN '0x' || encode(a.raw, 'hex') END,
            'maxFeePerGas', a.max_fee_per_gas::text, 'maxPriorityFeePerGas', a.max_priority_fee_per_gas::text,
            'signedAtMs', (extract(epoch FROM a.signed_at) * 1000)::bigint,
            'broadcastAtMs', (extract(epoch FROM a.broadcast_at) * 1000)::bigint
          )) ORDER BY a.position)
          FROM orchestrator.relay_attempts a WHERE a.transaction_id = t.id
        ) AS attempts
      FROM orchestrator.relay_transactions t
      CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(i.id::text ORDER BY l.position), '{}') AS intent_ids,
          max(i.deadline) FILTER (WHERE i.status = 'submitted' OR t.reopened) AS wanted_until
        FROM orchestrator.relay_transaction_intents l
        JOIN orchestrator.intent_states i ON i.id = l.intent_id
        WHERE l.transaction_id = t.id AND (
          l.active OR t.reopened AND i.status IN ('settled_source', 'delivered') AND EXISTS (
            SELECT FROM orchestrator.relay_attempts a WHERE a.transaction_id = t.id AND a.hash = '0x' || encode(i.tx_hash, 'hex')
          )
        )
      ) carried
      WHERE t.chain_id = ${chainId} AND t.status <> 'final'
      ORDER BY t.lane, t.nonce`
    const now = yield* Clock.currentTimeMillis
    const ahead = now - (rows[0]?.database_ms ?? now)
    // Times of versions are stored by the database's clock then, and this process would take all of them for old.
    const found = RelayTransactionRow.decode(rows, known, ahead > FUTURE_MILLIS ? Math.round(ahead) : 0)
    for (const { hash, raw } of found.transactions.flatMap(({ attempts }) => attempts)) bytes.remember(hash, raw)
    return found
  }, guarded("unfinished"))

const make = Effect.map(PgClient.PgClient, (sql) => {
  const bytes = RelayTransactionRow.makeBytes()
  const look = survey(sql, bytes)
  const noteAll = setInclusions(sql)
  return RelayTransactions.of({
    allocate: RelayAllocation.allocate(sql, bytes),
    addAttempt: RelayAttempts.addAttempt(sql, bytes),
    markBroadcast: RelayAttempts.markBroadcast(sql),
    setInclusion: (id, inclusion) => noteAll([{ id, inclusion }]),
    setInclusions: noteAll,
    clearInclusion: clearInclusion(sql),
    finalize: RelayEndings.finalize(sql),
    displaced: RelayEndings.displaced(sql),
    recover: RelayEndings.recover(sql),
    finalFrom: RelayEndings.finalFrom(sql),
    reopen: RelayEndings.reopen(sql),
    detach: RelayEndings.detach(sql),
    spending: spending(sql),
    paid: paid(sql),
    nextNonce: nextNonce(sql),
    fronts: fronts(sql),
    unfinished: (chainId) => Effect.map(look(chainId), ({ transactions }) => transactions),
    survey: look
  })
})

/** Requires the schema of `Migrated.layer`. */
export const layer = Layer.effect(RelayTransactions, make)
