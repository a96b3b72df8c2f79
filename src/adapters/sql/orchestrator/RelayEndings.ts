/** Finalizes relay transactions, reopens them after a reorg, and detaches their intents. */
import type { PgClient } from "@effect/sql-pg"
import { Array, Clock, Effect, Schema } from "effect"
import * as Address from "../../../domain/Address.ts"
import { stepOf } from "../../../domain/ExposureWindow.ts"
import type { UsdPrice } from "../../../domain/Fees.ts"
import { Hash } from "../../../domain/Hex.ts"
import type { RelayTransactions } from "../../../ports/orchestrator/RelayTransactions.ts"
import { boundedTime } from "../shared/BoundedTime.ts"
import { guarded, timestamp } from "../shared/Database.ts"
import * as ExposureRows from "./ExposureRows.ts"
import * as Rate from "./Rate.ts"

const decodeInclusion = Schema.decodeUnknownOption(
  Schema.Struct({ id: Schema.BigInt, hash: Hash, block_number: Schema.BigInt, block_hash: Hash })
)

const now = Effect.map(Clock.currentTimeMillis, timestamp)

/** Decimals of every chain's currency. */
const WEI_DECIMALS = 18

const weiRate = (usd: UsdPrice | undefined): string | undefined =>
  usd === undefined ? undefined : Rate.ofUnit({ usd, decimals: WEI_DECIMALS })

/** Patterns of the classes that sweeps of listed tokens reserve. */
const RESERVED_CLASSES = ["listed:first:%", "listed:funder:%", "listed:batch:%"]

/**
 * States are found by arrays of their ids. A join with the links would compare each link with each sweep that waits while statistics show
 * none: for 640 links and 1,900 sweeps that took 0.4 seconds.
 *
 * Losses of a transaction that has a cost are booked already: it was reopened after an end. A sweep that was detached, and that another
 * transaction carries, keeps its reservation until that one ends.
 */
export const finalize = (sql: PgClient.PgClient): RelayTransactions["Service"]["finalize"] =>
  Effect.fnUntraced(function* (endings) {
    if (endings.length === 0) return
    const millis = yield* Clock.currentTimeMillis
    const at = timestamp(millis)
    const step = timestamp(stepOf(millis))
    const bookings = endings.flatMap(({ bookings = [], id }) =>
      bookings.map(({ earned, key, lost }) => ({ id, key, lost: String(lost), earned: String(earned) }))
    )
    const outcomes = endings.flatMap((ending) =>
      (ending.outcomes ?? []).map(({ earned, intentId, lost }) => ({
        id: intentId,
        lost: String(lost),
        earned: String(earned)
      }))
    )
    const rows = endings.map(({ cost = 0n, id, inclusion, nativeUsd, parts = [] }) => ({
      id,
      cost: String(cost),
      rate: weiRate(nativeUsd),
      parts: Object.fromEntries(
        parts.map(({ cost, intentId, isSettled }) => [intentId, { cost: String(cost), paid: isSettled }])
      ),
      hash: inclusion?.hash,
      block_number: inclusion === undefined ? undefined : String(inclusion.blockNumber),
      block_hash: inclusion?.blockHash
    }))
    yield* sql`
      WITH ending AS (
        SELECT * FROM jsonb_to_recordset(${sql.json(rows)})
          AS e (id bigint, cost numeric, rate numeric, parts jsonb, hash text, block_number bigint, block_hash text)
      ), locked AS (
        SELECT t.id, t.cost IS NOT NULL AS has_ended FROM orchestrator.relay_transactions t JOIN ending USING (id)
        WHERE t.status <> 'final' ORDER BY t.id FOR UPDATE OF t
      ), transaction AS (
        UPDATE orchestrator.relay_transactions t
        SET status = 'final', finalized_at = ${at}, cost = ending.cost, wei_rate = ending.rate, included_hash = ending.hash,
          included_block_number = ending.block_number, included_block_hash = ending.block_hash
        FROM locked JOIN ending USING (id)
        WHERE t.id = locked.id AND t.status <> 'final'
        RETURNING t.id, t.chain_id, ending.cost, ending.parts, t.created_at, locked.has_ended
      ), spending AS (
        INSERT INTO orchestrator.relay_spending AS s (chain_id, hour, wei)
        SELECT chain_id, date_trunc('hour', ${at}::timestamptz), sum(cost) FROM transaction
        GROUP BY chain_id HAVING sum(cost) > 0
        ON CONFLICT (chain_id, hour) DO UPDATE SET wei = s.wei + excluded.wei
      ), link AS (
        UPDATE orchestrator.relay_transaction_intents l SET active = false,
          cost = (transaction.parts -> l.intent_id ->> 'cost')::numeric,
          paid = (transaction.parts -> l.intent_id ->> 'paid')::boolean
        FROM transaction WHERE l.transaction_id = transaction.id AND l.active
        RETURNING l.intent_id
      ), left_before AS (
        UPDATE orchestrator.relay_transaction_intents l SET
          cost = (transaction.parts -> l.intent_id ->> 'cost')::numeric,
          paid = (transaction.parts -> l.intent_id ->> 'paid')::boolean
        FROM transaction WHERE l.transaction_id = transaction.id AND NOT l.active
          AND jsonb_exists(transaction.parts, l.intent_id)
      ), gone AS (
        DELETE FROM orchestrator.exposures e USING transaction t, orchestrator.relay_transaction_intents l
        WHERE l.transaction_id = t.id AND e.intent_id = l.intent_id AND e.reserved_at <= t.created_at
          AND NOT EXISTS (
            SELECT FROM orchestrator.relay_transaction_intents o
            WHERE o.intent_id = l.intent_id AND o.active AND o.transaction_id <> t.id
          )
        RETURNING e.intent_id, e.classes, e.wei
      ), exposure AS (${ExposureRows.add(
        sql,
        sql`${ExposureRows.ended(sql, "gone")} UNION ALL
        SELECT b.key, ${step}::timestamptz, 0, b.lost, b.earned
        FROM jsonb_to_recordset(${sql.json(bookings)}) AS b (id bigint, key text, lost numeric, earned numeric)
        JOIN transaction USING (id) WHERE NOT has_ended
        UNION ALL
        SELECT class, ${step}::timestamptz, 0, o.lost, o.earned
        FROM jsonb_to_recordset(${sql.json(outcomes)}) AS o (id text, lost numeric, earned numeric)
        JOIN gone ON gone.intent_id = o.id, unnest(gone.classes) AS class WHERE class LIKE ANY(${RESERVED_CLASSES}::text[])`
      )})
      UPDATE orchestrator.intent_states SET relay_transaction_id = NULL
      WHERE id = ANY(ARRAY(SELECT intent_id FROM link)) AND status = 'submitted'`
  }, guarded("finalize"))

const decodeDisplaced = Schema.decodeUnknownOption(
  Schema.Struct({ id: Schema.BigInt, lane: Address.Address, nonce: Schema.BigInt, hashes: Schema.Array(Hash) })
)

export const displaced = (sql: PgClient.PgClient): RelayTransactions["Service"]["displaced"] =>
  Effect.fnUntraced(function* (chainId, sinceMs) {
    const since = yield* boundedTime(sql, sinceMs)
    const rows = yield* sql`
      SELECT t.id, t.lane, t.nonce, ARRAY(
        SELECT a.hash::text FROM orchestrator.relay_attempts a WHERE a.transaction_id = t.id ORDER BY a.position
      ) AS hashes
      FROM orchestrator.relay_transactions t
      WHERE t.chain_id = ${chainId} AND t.status = 'final' AND t.included_hash IS NULL
        AND (t.finalized_at > ${timestamp(sinceMs)} OR EXISTS (
          SELECT FROM orchestrator.relay_attempts a
          WHERE a.transaction_id = t.id AND (a.signed_at > ${since} OR a.broadcast_at > ${since})
        ))
      ORDER BY t.id`
    return Array.getSomes(rows.map((row) => decodeDisplaced(row))).map(({ id, ...row }) => ({ id: String(id), ...row }))
  }, guarded("displaced"))

export const recover = (sql: PgClient.PgClient): RelayTransactions["Service"]["recover"] =>
  Effect.fnUntraced(function* ({ cost, id, inclusion, nativeUsd }) {
    const at = yield* now
    yield* sql`
      WITH transaction AS (
        UPDATE orchestrator.relay_transactions
        SET finalized_at = ${at}, cost = ${String(cost)}::numeric,
          wei_rate = ${weiRate(nativeUsd) ?? null}::numeric, included_hash = ${inclusion.hash},
          included_block_number = ${inclusion.blockNumber}, included_block_hash = ${inclusion.blockHash}
        WHERE id = ${id}::bigint AND status = 'final' AND included_hash IS NULL
        RETURNING chain_id, cost
      )
      INSERT INTO orchestrator.relay_spending AS s (chain_id, hour, wei)
      SELECT chain_id, date_trunc('hour', ${at}::timestamptz), cost FROM transaction WHERE cost > 0
      ON CONFLICT (chain_id, hour) DO UPDATE SET wei = s.wei + excluded.wei`
  }, guarded("recover"))

export const finalFrom = (sql: PgClient.PgClient): RelayTransactions["Service"]["finalFrom"] =>
  Effect.fnUntraced(function* (chainId, blockNumber) {
    const rows = yield* sql`
        SELECT id, included_hash AS hash, included_block_number AS block_number, included_block_hash AS block_hash
        FROM orchestrator.relay_transactions
        WHERE chain_id = ${chainId} AND status = 'final' AND included_block_number >= ${blockNumber}
        ORDER BY id`
    // A final row that cannot be read is decided, and must not hold the others.
    return Array.getSomes(rows.map((row) => decodeInclusion(row))).map((row) => ({
      id: String(row.id),
      inclusion: { hash: row.hash, blockNumber: row.block_number, blockHash: row.block_hash }
    }))
  }, guarded("finalFrom"))

/** True if the version that the noted block of `t` included has settled a sweep. */
const hasSettled = (sql: PgClient.PgClient) => sql`EXISTS (
  SELECT FROM orchestrator.relay_transaction_intents l JOIN orchestrator.intent_states i ON i.id = l.intent_id
  WHERE l.transaction_id = t.id AND '0x' || encode(i.tx_hash, 'hex') = t.included_hash
    AND i.status IN ('settled_source', 'delivered')
)`

/**
 * Leaves a cost of zero on a transaction that has ended, so that `finalize` does not book its losses again. Its links cannot show that: the
 * trigger of the costs clears their parts, and all of them may be detached before the end.
 */
export const reopen = (sql: PgClient.PgClient): RelayTransactions["Service"]["reopen"] =>
  Effect.fnUntraced(function* (gone) {
    // Compared with the times of attempts, which are bounded, too.
    const reopenedAt = yield* boundedTime(sql, yield* Clock.currentTimeMillis)
    const noted = gone.map(({ id, inclusion: { blockHash, hash } }) => ({ id, hash, block_hash: blockHash }))
    const rows = yield* sql<{ id: bigint }>`
      WITH lost AS (
        SELECT t.id, t.chain_id, t.cost, t.finalized_at FROM orchestrator.relay_transactions t
        JOIN jsonb_to_recordset(${sql.json(noted)}) AS n (id bigint, hash text, block_hash text) ON n.id = t.id
        WHERE t.included_hash = n.hash AND t.included_block_hash = n.block_hash
          AND (t.status = 'final' OR ${hasSettled(sql)})
        ORDER BY t.id FOR UPDATE OF t
      ), transaction AS (
        UPDATE orchestrator.relay_transactions t
        SET status = 'pending', reopened = true, reopened_at = ${reopenedAt}, reopened_hash = t.included_hash,
          kind = CASE WHEN ${hasSettled(sql)} THEN 'sweep' ELSE t.kind END,
          finalized_at = NULL, cost = CASE WHEN t.status = 'final' THEN 0 ELSE t.cost END, wei_rate = NULL,
          included_hash = NULL, included_block_number = NULL, included_block_hash = NULL
        FROM lost WHERE t.id = lost.id
        RETURNING t.id
      ), spending AS (
        UPDATE orchestrator.relay_spending s SET wei = s.wei - booked.wei
        FROM (
          SELECT chain_id, date_trunc('hour', finalized_at) AS hour, sum(cost) AS wei FROM lost WHERE cost > 0
          GROUP BY 1, 2
        ) booked
        WHERE s.chain_id = booked.chain_id AND s.hour = booked.hour
      )
      SELECT id FROM transaction`
    return rows.map(({ id }) => String(id))
  }, guarded("reopen"))

export const detach = (sql: PgClient.PgClient): RelayTransactions["Service"]["detach"] =>
  Effect.fnUntraced(function* (id, intentIds, unsent = []) {
    yield* sql`
      WITH link AS (
        UPDATE orchestrator.relay_transaction_intents SET active = false
        WHERE transaction_id = ${id}::bigint AND intent_id = ANY(${intentIds}) AND active
        RETURNING intent_id
      )
      UPDATE orchestrator.intent_states i
      SET relay_transaction_id = NULL, tx_hash = CASE WHEN i.id = ANY(${unsent}) THEN NULL ELSE i.tx_hash END
      WHERE i.id = ANY(ARRAY(SELECT intent_id FROM link)) AND i.status = 'submitted'`
  }, guarded("detach"))
