/** Looks for deliveries of settled cross-chain intents and for their transactions: those that are due, and what they found. */
import type { PgClient } from "@effect/sql-pg"
import { Clock, Effect } from "effect"
import type { Intents } from "../../../ports/orchestrator/Intents.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as IntentRow from "./IntentRow.ts"
import type { UnreadableIntents } from "./UnreadableIntents.ts"

/** Time after a delivery in which its transaction is looked for, in milliseconds. */
const FILL_MILLIS = 7 * 86_400_000

interface DueRow extends IntentRow.IntentRow {
  readonly delivery_looks: number
}

const toDue = (row: DueRow) => ({ intent: IntentRow.toIntent(row), looks: row.delivery_looks })

export const due = (
  sql: PgClient.PgClient,
  { decode }: UnreadableIntents["Service"]
): Intents["Service"]["deliveriesDue"] =>
  Effect.fnUntraced(function* (chainId, destChainId, limit) {
    const rows = yield* sql<DueRow>`
      SELECT * FROM orchestrator.intents
      WHERE source_chain_id = ${chainId} AND status = 'settled_source'
        AND ("order" ->> 'destChainId') = ${String(destChainId)}
        AND delivery_look_at <= ${timestamp(yield* Clock.currentTimeMillis)}
      ORDER BY delivery_look_at, id
      LIMIT ${limit}`
    return yield* decode(rows, toDue)
  }, guarded("deliveriesDue"))

export const fillsDue = (
  sql: PgClient.PgClient,
  { decode }: UnreadableIntents["Service"]
): Intents["Service"]["fillsDue"] =>
  Effect.fnUntraced(function* (chainId, destChainId, limit) {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* sql<DueRow>`
      SELECT * FROM orchestrator.intents
      WHERE source_chain_id = ${chainId} AND status = 'delivered' AND delivery_tx_hash IS NULL
        AND ("order" ->> 'destChainId') = ${String(destChainId)}
        AND delivery_look_at <= ${timestamp(now)} AND updated_at > ${timestamp(now - FILL_MILLIS)}
      ORDER BY delivery_look_at, id
      LIMIT ${limit}`
    return yield* decode(rows, toDue)
  }, guarded("fillsDue"))

export const noteFill = (sql: PgClient.PgClient): Intents["Service"]["noteFill"] =>
  Effect.fnUntraced(function* (id, txHash) {
    yield* sql`UPDATE orchestrator.intents SET delivery_tx_hash = ${txHash}, searches = NULL
      WHERE id = ${text(id)} AND status = 'delivered' AND delivery_tx_hash IS NULL`
  }, guarded("noteFill"))

export const noteSearches = (sql: PgClient.PgClient): Intents["Service"]["noteSearches"] =>
  Effect.fnUntraced(function* (id, searches) {
    const blocks = Object.entries(searches).map(([search, block]) => [search, block?.toString() ?? null])
    yield* sql`UPDATE orchestrator.intents
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
        SELECT i.id FROM orchestrator.intents i JOIN looked USING (id)
        WHERE i.status = 'settled_source' OR (i.status = 'delivered' AND i.delivery_tx_hash IS NULL)
        ORDER BY i.id FOR UPDATE OF i SKIP LOCKED
      )
      UPDATE orchestrator.intents i
      SET delivery_look_at = looked.look_at, delivery_looks = i.delivery_looks + 1
      FROM free JOIN looked USING (id) WHERE i.id = free.id`
  }, guarded("postponeDeliveries"))
