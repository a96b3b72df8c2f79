/**
 * Events for builders: written in the statement that moves their intents, and completed from the stored terms when they are claimed.
 */
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { COPIED } from "../../../domain/SweepEvent.ts"
import { boundedTime } from "../shared/BoundedTime.ts"
import { timestamp } from "../shared/Database.ts"

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
 * The `SweepEvent` of a row `o` of the outbox without a payload, in wire encoding, as `sweepEvent` of the domain makes it. Joined are
 * the state `m` of its intent and the terms `t`.
 */
export const message = `jsonb_build_object(
    '_tag', 'SweepEvent',
    'event', jsonb_strip_nulls(jsonb_build_object(
      'id', m.id || ':' || o.event_status,
      'builderId', m.builder_id,
      'intentId', m.id,
      'status', o.event_status,
      'failureReason', o.failure_reason,
      'occurredAtMs', (extract(epoch FROM o.created_at) * 1000)::bigint,
      'sourceChainId', m.source_chain_id,
      'destChainId', m.dest_chain_id,
      'crossChain', m.dest_chain_id <> m.source_chain_id,
      ${copied},
      'txHash', '0x' || encode(o.tx_hash, 'hex'),
      'deliveryTxHash', '0x' || encode(o.delivery_tx_hash, 'hex')
    )))`

/**
 * Body of a CTE that adds a `SweepEvent` to the outbox for each row of `passed`, without the terms of the sweep, which are stored
 * already. `passed` joins moved states as `m` with the effects of their events as `e` (`status`, `failure_reason`,
 * `delivery_tx_hash`, `position`). Intents without a builder are skipped.
 */
export const tell = (sql: PgClient.PgClient, passed: Fragment, atMs: number): Effect.Effect<Fragment> =>
  Effect.map(
    boundedTime(sql, atMs),
    (dueAt) => sql`
    INSERT INTO orchestrator.outbox (
      idempotency_key, intent_id, event_status, failure_reason, tx_hash, delivery_tx_hash, due_at, created_at
    )
    SELECT 'sweep:' || m.id || ':' || e.status, m.id, e.status, e.failure_reason, m.tx_hash,
      decode(substr(e.delivery_tx_hash, 3), 'hex'), ${dueAt}, ${timestamp(atMs)}
    FROM ${passed}
    WHERE m.builder_id IS NOT NULL
    ORDER BY e.position
    ON CONFLICT (idempotency_key) DO NOTHING`
  )
