/** Writes builders' events in the statement that moves their intents, so that nothing has to be read for them. */
import type { PgClient } from "@effect/sql-pg"
import type { Fragment } from "effect/sql/Statement"
import { COPIED } from "../../../domain/SweepEvent.ts"
import { timestamp } from "../shared/Database.ts"

const copied = Object.entries(COPIED)
  .map(([field, document]) => `'${field}', m."${document}" -> '${field}'`)
  .join(", ")

/**
 * Body of a CTE that adds a `SweepEvent` to the outbox for each row of `passed`, in wire encoding, as `sweepEvent` of the
 * domain makes it. `passed` joins moved intents as `m` with the effects of their events as `e` (`status`, `failure_reason`,
 * `delivery_tx_hash`, `position`). Intents without a builder are skipped.
 */
export const tell = (sql: PgClient.PgClient, passed: Fragment, atMs: number): Fragment => {
  const at = timestamp(atMs)
  return sql`
    INSERT INTO orchestrator.outbox (idempotency_key, intent_id, message, due_at, created_at)
    SELECT 'sweep:' || m.id || ':' || e.status, m.id, jsonb_build_object(
        '_tag', 'SweepEvent',
        'event', jsonb_strip_nulls(jsonb_build_object(
          'id', m.id || ':' || e.status,
          'builderId', m.builder_id,
          'intentId', m.id,
          'status', e.status,
          'failureReason', e.failure_reason,
          'occurredAtMs', ${atMs}::bigint,
          'sourceChainId', m.source_chain_id,
          'destChainId', (m."order" ->> 'destChainId')::numeric,
          'crossChain', (m."order" ->> 'destChainId')::numeric <> m.source_chain_id,
          ${sql.literal(copied)},
          'txHash', m.tx_hash,
          'deliveryTxHash', e.delivery_tx_hash
        ))
      ), ${at}, ${at}
    FROM ${passed}
    WHERE m.builder_id IS NOT NULL
    ORDER BY e.position
    ON CONFLICT (idempotency_key) DO NOTHING`
}
