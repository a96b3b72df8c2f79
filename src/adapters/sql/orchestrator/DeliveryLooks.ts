/** Looks for deliveries of settled cross-chain intents and for their transactions: those that are due, and what they found. */
import type { PgClient } from "@effect/sql-pg"
import { Clock, Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import type { Intents } from "../../../ports/orchestrator/Intents.ts"
import { boundedColumn } from "../shared/BoundedTime.ts"
import { bytes, guarded, text, timestamp } from "../shared/Database.ts"
import * as IntentRow from "./IntentRow.ts"
import * as IntentTables from "./IntentTables.ts"
import type { UnreadableIntents } from "./UnreadableIntents.ts"

/** Time after a delivery in which its transaction is looked for, in milliseconds. */
const FILL_MILLIS = 7 * 86_400_000

interface DueRow extends IntentRow.IntentRow {
  readonly looks: number
}

const toDue = (row: DueRow) => ({ intent: IntentRow.toIntent(row), looks: row.looks })

/** Due looks `d` from one chain to another that match `which`. */
const dueLooks = (
  sql: PgClient.PgClient,
  chainId: number,
  destChainId: number,
  now: number,
  which: Fragment,
  limit: number
) => sql<DueRow>`
  SELECT d.looks, ${IntentTables.columns(sql)}
  FROM (
    SELECT * FROM orchestrator.intent_deliveries d
    WHERE source_chain_id = ${chainId} AND dest_chain_id = ${destChainId}::numeric AND look_at <= ${timestamp(now)}
      AND ${which}
    ORDER BY look_at, intent_id
    LIMIT ${limit}
  ) d
  ${IntentTables.states(sql, "d.intent_id")} ${IntentTables.documents(sql)}
  ORDER BY d.look_at, d.intent_id`

export const due = (
  sql: PgClient.PgClient,
  { decode }: UnreadableIntents["Service"]
): Intents["Service"]["deliveriesDue"] =>
  Effect.fnUntraced(function* (chainId, destChainId, limit) {
    const now = yield* Clock.currentTimeMillis
    return yield* decode(yield* dueLooks(sql, chainId, destChainId, now, sql`NOT d.delivered`, limit), toDue)
  }, guarded("deliveriesDue"))

export const fillsDue = (
  sql: PgClient.PgClient,
  { decode }: UnreadableIntents["Service"]
): Intents["Service"]["fillsDue"] =>
  Effect.fnUntraced(function* (chainId, destChainId, limit) {
    const now = yield* Clock.currentTimeMillis
    const young = sql`d.delivered AND d.since > ${timestamp(now - FILL_MILLIS)}`
    return yield* decode(yield* dueLooks(sql, chainId, destChainId, now, young, limit), toDue)
  }, guarded("fillsDue"))

export const noteFill = (sql: PgClient.PgClient): Intents["Service"]["noteFill"] =>
  Effect.fnUntraced(function* (id, txHash, amountOut) {
    yield* sql`UPDATE orchestrator.intent_states
      SET delivery_tx_hash = ${bytes(txHash)}, amount_out = ${amountOut === undefined ? null : String(amountOut)}::numeric, searches = NULL
      WHERE id = ${text(id)} AND status = 'delivered' AND delivery_tx_hash IS NULL`
  }, guarded("noteFill"))

export const noteSearches = (sql: PgClient.PgClient): Intents["Service"]["noteSearches"] =>
  Effect.fnUntraced(function* (id, searches) {
    const blocks = Object.entries(searches).map(([search, block]) => [search, block?.toString() ?? null])
    yield* sql`UPDATE orchestrator.intent_states
      SET searches = nullif(
        jsonb_strip_nulls(coalesce(searches, '{}') || ${sql.json(Object.fromEntries(blocks))}), '{}')
      WHERE id = ${text(id)}`
  }, guarded("noteSearches"))

export const postpone = (sql: PgClient.PgClient): Intents["Service"]["postponeDeliveries"] =>
  Effect.fnUntraced(function* (looked) {
    if (looked.length === 0) return
    const rows = looked.map(({ id, lookAtMs }) => ({ id: text(id), look_at: timestamp(lookAtMs).toISOString() }))
    // A locked row is being moved or postponed by another process. It stays due if it is not moved.
    yield* sql`
      WITH looked AS (
        SELECT * FROM jsonb_to_recordset(${sql.json(rows)}) AS l (id text, look_at timestamptz)
      ), free AS (
        SELECT d.intent_id AS id FROM orchestrator.intent_deliveries d JOIN looked ON looked.id = d.intent_id
        WHERE d.intent_id = ANY(${IntentTables.ids(
          sql,
          rows.map(({ id }) => id)
        )})
        ORDER BY d.intent_id FOR UPDATE OF d SKIP LOCKED
      )
      UPDATE orchestrator.intent_deliveries d SET look_at = ${yield* boundedColumn(sql, sql`looked.look_at`)}, looks = d.looks + 1
      FROM free JOIN looked USING (id) WHERE d.intent_id = free.id`
  }, guarded("postponeDeliveries"))
