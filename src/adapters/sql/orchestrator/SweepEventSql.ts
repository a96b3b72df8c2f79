/** Writes what builders are told of their intents, in the statement that moves them: nothing has to be read for it. */
import type { PgClient } from "@effect/sql-pg"
import type { Fragment } from "effect/sql/Statement"
import { timestamp } from "../shared/Database.ts"

/**
 * The body of a CTE. `passed` gives moved intents as `m` and the statuses that each has passed as `e` (`status`, `reason`,
 * `position`). The document is the wire encoding of `SweepEvent`, as `domain/SweepEvent` makes it.
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
          'failureReason', e.reason,
          'occurredAtMs', ${atMs}::bigint,
          'owner', m."order" -> 'owner',
          'sourceChainId', m.source_chain_id,
          'destChainId', (m."order" ->> 'destChainId')::numeric,
          'crossChain', (m."order" ->> 'destChainId')::numeric <> m.source_chain_id,
          'tokenIn', m."order" -> 'tokenIn',
          'amountIn', m."order" -> 'amountIn',
          'tokenOut', m."order" -> 'tokenOut',
          'minAmountOut', m.quote -> 'minAmountOut',
          'builderFee', m."order" -> 'builderFee',
          'txHash', m.tx_hash,
          'deliveryTxHash', CASE e.status WHEN 'delivered' THEN m.delivery_tx_hash END
        ))
      ), ${at}, ${at}
    FROM ${passed}
    WHERE m.builder_id IS NOT NULL
    ORDER BY e.position
    ON CONFLICT (idempotency_key) DO NOTHING`
}
