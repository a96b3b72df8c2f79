/** Deletes old rows by their indexes, and sums up changes of kept numbers. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { KeptData, type Kind } from "../../../ports/orchestrator/KeptData.ts"
import { boundedTime } from "../shared/BoundedTime.ts"
import { guarded } from "../shared/Database.ts"
import * as MoneyBook from "./MoneyBook.ts"
import * as Months from "./Months.ts"

/** Changes of counts that one statement sums up. */
const CHANGES = 20_000

/**
 * A statement that deletes up to `limit` old rows and returns one row for each. It skips rows that are locked. The keys are an
 * array, since with a subquery the planner may read the whole table.
 */
const deletion = (sql: PgClient.PgClient, before: Fragment, limit: number): Readonly<Record<Kind, Fragment>> => ({
  quotes: sql`DELETE FROM orchestrator.intent_states WHERE status = 'quoted' AND id = ANY(ARRAY(
      SELECT intent_id FROM (
        SELECT intent_id, created_at FROM orchestrator.open_quotes ORDER BY number LIMIT ${limit} FOR UPDATE SKIP LOCKED
      ) q WHERE created_at < ${before}
    )) RETURNING 1`,
  messages: sql`DELETE FROM orchestrator.outbox WHERE id = ANY(ARRAY(
      SELECT id FROM orchestrator.outbox WHERE state = 'delivered' AND closed_at < ${before}
      ORDER BY closed_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )) RETURNING 1`,
  // Ids grow with time, so the oldest come first. Only their beginning is read.
  rejections: sql`DELETE FROM orchestrator.outbox WHERE id = ANY(ARRAY(
      SELECT id FROM (
        SELECT id, closed_at FROM orchestrator.outbox WHERE state = 'rejected' AND topic = 'events'
        ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED
      ) r WHERE closed_at < ${before}
    )) RETURNING 1`,
  // Ids of transactions grow with time, so the oldest attempts come first. Only their beginning is read, without the attempts of
  // unfinished transactions: these may never end, and must not fill it. NOT IN reads the unfinished ones once.
  attempts: sql`DELETE FROM orchestrator.relay_attempts WHERE hash = ANY(ARRAY(
      SELECT a.hash FROM (
        SELECT hash, transaction_id FROM orchestrator.relay_attempts
        WHERE transaction_id NOT IN (SELECT id FROM orchestrator.relay_transactions WHERE status <> 'final')
        ORDER BY transaction_id, position LIMIT ${limit}
        FOR UPDATE SKIP LOCKED
      ) a JOIN orchestrator.relay_transactions t ON t.id = a.transaction_id
      WHERE t.status = 'final' AND t.finalized_at < ${before}
    )) RETURNING 1`,
  // The events of months go with their partitions.
  events: sql`DELETE FROM orchestrator.intent_history_default WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM (
        SELECT ctid, at FROM orchestrator.intent_history_default ORDER BY number LIMIT ${limit} FOR UPDATE SKIP LOCKED
      ) e WHERE at < ${before}
    )) RETURNING 1`,
  fills: sql`DELETE FROM orchestrator.intent_deliveries WHERE intent_id = ANY(ARRAY(
      SELECT intent_id FROM orchestrator.intent_deliveries WHERE delivered AND looks >= 0 AND since < ${before}
      ORDER BY since LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )) RETURNING 1`,
  alerts: sql`DELETE FROM orchestrator.alerts WHERE id = ANY(ARRAY(
      SELECT id FROM orchestrator.alerts WHERE cleared_at < ${before}
      ORDER BY cleared_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )) RETURNING 1`,
  responses: sql`DELETE FROM orchestrator.idempotency_keys WHERE id = ANY(ARRAY(
      SELECT id FROM orchestrator.idempotency_keys WHERE expires_at < ${before}
      ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )) RETURNING 1`
})

const prune = (sql: PgClient.PgClient): KeptData["Service"]["prune"] =>
  Effect.fn("KeptData.prune")(
    function* (kind, beforeMs, limit) {
      // Tables that are only added to refuse deletions without this setting of the transaction.
      yield* sql`SELECT set_config('token_sweep.retention', 'on', true)`
      const rows = yield* sql`${deletion(sql, yield* boundedTime(sql, beforeMs), limit)[kind]}`
      return rows.length
    },
    (effect) => sql.withTransaction(effect),
    guarded("KeptData.prune")
  )

const intents = (sql: PgClient.PgClient) =>
  // One process at a time: the others would wait for its row locks.
  sql`
    WITH turn AS MATERIALIZED (
      SELECT pg_try_advisory_xact_lock(hashtextextended('token-sweep.counts', 0)) AS taken
    ), gone AS (
      DELETE FROM orchestrator.intent_count_parts WHERE ctid = ANY(ARRAY(
        SELECT c.ctid FROM turn, orchestrator.intent_count_parts c WHERE turn.taken LIMIT ${CHANGES}
      ))
      RETURNING status, intents
    )
    INSERT INTO orchestrator.intent_counts AS k (status, intents)
    SELECT status, sum(intents) FROM gone GROUP BY status ORDER BY status
    ON CONFLICT (status) DO UPDATE SET intents = k.intents + excluded.intents`

const sumUp = (sql: PgClient.PgClient): KeptData["Service"]["sumUp"] =>
  Effect.all([intents(sql), MoneyBook.sumUp(sql)], { discard: true }).pipe(
    guarded("KeptData.sumUp"),
    Effect.withSpan("KeptData.sumUp")
  )

/** Requires the schema of `Migrated.layer`. */
export const layer = Layer.effect(
  KeptData,
  Effect.map(PgClient.PgClient, (sql) =>
    KeptData.of({
      prune: prune(sql),
      addMonths: Months.addMonths(sql),
      dropMonths: Months.dropMonths(sql),
      sumUp: sumUp(sql)
    })
  )
)
