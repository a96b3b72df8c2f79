/** Looks for deliveries of settled cross-chain intents: those that are due, and their postponement. */
import type { PgClient } from "@effect/sql-pg"
import { Clock, Effect } from "effect"
import type { Intents } from "../../../ports/orchestrator/Intents.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as IntentRow from "./IntentRow.ts"
import type { UnreadableIntents } from "./UnreadableIntents.ts"

interface DueRow extends IntentRow.IntentRow {
  readonly delivery_looks: number
}

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
    return yield* decode(rows, (row) => ({ intent: IntentRow.toIntent(row), looks: row.delivery_looks }))
  }, guarded("deliveriesDue"))

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
        WHERE i.status = 'settled_source' ORDER BY i.id FOR UPDATE OF i SKIP LOCKED
      )
      UPDATE orchestrator.intents i
      SET delivery_look_at = looked.look_at, delivery_looks = i.delivery_looks + 1
      FROM free JOIN looked USING (id) WHERE i.id = free.id`
  }, guarded("postponeDeliveries"))
