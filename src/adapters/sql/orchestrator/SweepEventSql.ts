/** Writes builders' events in the statement that moves their intents, so that nothing has to be read for them. */
import type { PgClient } from "@effect/sql-pg"
import type { Fragment } from "effect/sql/Statement"
import { COPIED } from "../../../domain/SweepEvent.ts"
import { timestamp } from "../shared/Database.ts"
import * as IntentTables from "./IntentTables.ts"

/** Columns with the fields that an event copies from the order, in wire encoding. */
const ORDER: Readonly<Record<string, string>> = {
  owner: "m.owner",
  tokenIn: "t.token_in",
  amountIn: "t.amount_in::text",
  tokenOut: "t.token_out",
  builderFee: "t.builder_fee::text"
}

const copied = Object.entries(COPIED)
  .map(([field, document]) => `'${field}', ${document === "order" ? ORDER[field] : `t.quote -> '${field}'`}`)
  .join(", ")

/**
 * Body of a CTE that adds a `SweepEvent` to the outbox for each row of `passed`, in wire encoding, as `sweepEvent` of the
 * domain makes it. `passed` joins moved states as `m` with the effects of their events as `e` (`status`, `failure_reason`,
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
          'destChainId', m.dest_chain_id,
          'crossChain', m.dest_chain_id <> m.source_chain_id,
          ${sql.literal(copied)},
          'txHash', '0x' || encode(m.tx_hash, 'hex'),
          'deliveryTxHash', e.delivery_tx_hash
        ))
      ), ${at}, ${at}
    FROM ${passed} ${sql.literal(IntentTables.terms("m"))}
    WHERE m.builder_id IS NOT NULL
    ORDER BY e.position
    ON CONFLICT (idempotency_key) DO NOTHING`
}
