/** Carries intents over to the tables of migration 16, and reads them as the tables before. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

/** Documents in the form of the tables before. A value that does not fit its column becomes null, and the row unreadable. */
export const copied = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`LOCK TABLE orchestrator.intents, orchestrator.intent_events IN EXCLUSIVE MODE`
  yield* sql`SELECT orchestrator.add_intent_partitions(
    (SELECT greatest(coalesce(min(created_at), now()), now() - interval '5 years') FROM orchestrator.intents),
    now() + interval '3 months')`
  yield* sql`CREATE FUNCTION pg_temp.address(value text) RETURNS text LANGUAGE sql IMMUTABLE
    AS $$ SELECT CASE WHEN value ~ '^0x[0-9a-fA-F]{40}$' THEN value END $$`
  yield* sql`CREATE FUNCTION pg_temp.bytes(value text) RETURNS bytea LANGUAGE sql IMMUTABLE
    AS $$ SELECT CASE WHEN value ~ '^0x([0-9a-fA-F]{2})*$' THEN decode(substr(value, 3), 'hex') END $$`
  yield* sql`CREATE FUNCTION pg_temp.uint256(value text) RETURNS numeric LANGUAGE sql IMMUTABLE
    AS $$ SELECT CASE WHEN value ~ '^[0-9]{1,78}$' AND value::numeric < 2::numeric ^ 256 THEN value::numeric END $$`

  yield* sql`INSERT INTO orchestrator.intent_states (
      number, source_chain_id, created_at, updated_at, submitted_at, relay_transaction_id, burned_at, id, owner, order_nonce,
      order_digest, dest_chain_id, deadline, builder_id, status, tx_hash, delivery_tx_hash, failure_reason, failure_detail,
      searches
    )
    SELECT orchestrator.first_number(created_at) | (nextval('orchestrator.intent_numbers') & 16777215), source_chain_id,
      created_at, updated_at, submitted_at, relay_transaction_id,
      CASE WHEN tx_hash IS NOT NULL AND failure_reason IN (
        'reverted', 'insufficient_balance', 'delegation_replaced', 'stale_authorization', 'nonce_used'
      ) THEN updated_at END,
      id, owner, order_nonce, pg_temp.bytes(order_digest), coalesce(pg_temp.uint256("order" ->> 'destChainId'), 0), deadline,
      builder_id, status, pg_temp.bytes(tx_hash), pg_temp.bytes(delivery_tx_hash), failure_reason, failure_detail, searches
    FROM orchestrator.intents`
  yield* sql`ANALYZE orchestrator.intent_states`
  yield* sql`INSERT INTO orchestrator.intent_terms (
      number, quoted_at_block, gas, token_in, amount_in, fee_amount, builder, builder_fee, token_out, min_amount_out,
      destination, swap_target, swap_calldata, user_id, payout_mode, quote
    )
    SELECT s.number, i.quoted_at_block, i.gas, pg_temp.address(i."order" ->> 'tokenIn'),
      pg_temp.uint256(i."order" ->> 'amountIn'), pg_temp.uint256(i."order" ->> 'feeAmount'),
      nullif(pg_temp.address(i."order" ->> 'builder'), '0x' || repeat('0', 40)), pg_temp.uint256(i."order" ->> 'builderFee'),
      pg_temp.address(i."order" ->> 'tokenOut'), pg_temp.uint256(i."order" ->> 'minAmountOut'),
      nullif(pg_temp.address(i."order" ->> 'destination'), i.owner), pg_temp.address(i."order" ->> 'swapTarget'),
      pg_temp.bytes(i."order" ->> 'swapCalldata'), i.user_id, i.payout_mode,
      i.quote - '{id,crossChain,sourceChainId}'::text[]
    FROM orchestrator.intents i JOIN orchestrator.intent_states s USING (id)`
  yield* sql`INSERT INTO orchestrator.intent_signatures (
      number, authorization_chain_id, authorization_nonce, y_parity, delegate, r, s, signature
    )
    SELECT s.number, (a.auth ->> 'chainId')::bigint, (a.auth ->> 'nonce')::numeric, coalesce((a.auth ->> 'yParity')::smallint, 0),
      pg_temp.bytes(a.auth ->> 'address'), pg_temp.bytes(a.auth ->> 'r'), pg_temp.bytes(a.auth ->> 's'),
      pg_temp.bytes(i.submission ->> 'signature')
    FROM orchestrator.intents i JOIN orchestrator.intent_states s USING (id),
      LATERAL (SELECT i.submission -> 'authorization' AS auth) a
    WHERE i.submission IS NOT NULL`
  yield* sql`INSERT INTO orchestrator.intent_history (number, id, at, status, tx_hash, reason, detail)
    SELECT s.number, e.id, e.at, e.status, pg_temp.bytes(e.tx_hash), e.reason, e.detail
    FROM orchestrator.intent_events e JOIN orchestrator.intent_states s ON s.id = e.intent_id`
  yield* sql`SELECT setval('orchestrator.intent_history_ids', coalesce(max(id), 0) + 1, false)
    FROM orchestrator.intent_events`
  yield* sql`INSERT INTO orchestrator.open_quotes (number, intent_id, created_at)
    SELECT number, id, created_at FROM orchestrator.intent_states WHERE status = 'quoted'`
  yield* sql`INSERT INTO orchestrator.intent_queue (
      intent_id, source_chain_id, account, submitted_at, deadline, lease_worker, lease_until, not_before
    )
    SELECT id, source_chain_id, account, submitted_at, deadline, lease_worker, lease_until, not_before
    FROM orchestrator.intents WHERE queued`
  yield* sql`INSERT INTO orchestrator.intent_deliveries (
      intent_id, source_chain_id, dest_chain_id, delivered, since, look_at, looks
    )
    SELECT i.id, i.source_chain_id, s.dest_chain_id, i.status = 'delivered', i.updated_at, i.delivery_look_at,
      i.delivery_looks
    FROM orchestrator.intents i JOIN orchestrator.intent_states s USING (id)
    WHERE i.status = 'settled_source' OR i.status = 'delivered' AND i.delivery_tx_hash IS NULL`
})

/** Replaces the tables before by views with their names and columns. */
export const views = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`DROP VIEW orchestrator.intent_count_differences`
  yield* sql`DROP TABLE orchestrator.intents`
  yield* sql`DROP TABLE orchestrator.intent_events`
  const hex = (column: string) => sql.literal(`('0x' || encode(${column}, 'hex'))`)
  yield* sql`CREATE VIEW orchestrator.intents AS
    SELECT s.id,
      t.quote || jsonb_build_object('id', s.id, 'crossChain', s.dest_chain_id <> s.source_chain_id,
        'sourceChainId', s.source_chain_id) AS quote,
      CASE WHEN t.number IS NOT NULL THEN jsonb_build_object('owner', s.owner, 'tokenIn', t.token_in,
        'amountIn', t.amount_in::text, 'feeAmount', t.fee_amount::text,
        'builder', coalesce(t.builder, '0x' || repeat('0', 40)), 'builderFee', t.builder_fee::text,
        'tokenOut', t.token_out, 'minAmountOut', t.min_amount_out::text, 'destination', coalesce(t.destination, s.owner),
        'swapTarget', t.swap_target, 'swapCalldata', ${hex("t.swap_calldata")}, 'deadline', s.deadline::text,
        'nonce', s.order_nonce::text, 'destChainId', s.dest_chain_id::text) END AS "order",
      ${hex("s.order_digest")} AS order_digest, t.quoted_at_block, t.gas, t.user_id, s.builder_id, t.payout_mode,
      s.source_chain_id, s.owner, s.source_chain_id || ':' || s.owner AS account, s.order_nonce, s.status,
      CASE WHEN g.number IS NOT NULL THEN jsonb_build_object('signature', ${hex("g.signature")},
        'authorization', jsonb_build_object('address', CASE
            WHEN lower(t.quote ->> 'settlementAddress') = ${hex("g.delegate")} THEN t.quote ->> 'settlementAddress'
            ELSE ${hex("g.delegate")} END, 'chainId', g.authorization_chain_id,
          'nonce', g.authorization_nonce::text, 'r', ${hex("g.r")}, 's', ${hex("g.s")}, 'yParity', g.y_parity)
      ) END AS submission,
      s.submitted_at, ${hex("s.tx_hash")} AS tx_hash, ${hex("s.delivery_tx_hash")} AS delivery_tx_hash, s.failure_reason,
      s.failure_detail, q.lease_worker, q.lease_until, q.not_before, s.relay_transaction_id,
      q.intent_id IS NOT NULL AS queued, s.created_at, s.updated_at, s.deadline,
      coalesce(d.look_at, 'epoch') AS delivery_look_at, coalesce(d.looks, 0) AS delivery_looks, s.searches
    FROM orchestrator.intent_states s
    LEFT JOIN orchestrator.intent_terms t ON t.number = s.number
    LEFT JOIN orchestrator.intent_signatures g ON g.number = s.number
    LEFT JOIN orchestrator.intent_queue q ON q.intent_id = s.id
    LEFT JOIN orchestrator.intent_deliveries d ON d.intent_id = s.id`
  yield* sql`CREATE VIEW orchestrator.intent_events AS
    SELECT e.id, s.id AS intent_id, CASE e.status WHEN 'submitted' THEN 'Submitted'
        WHEN 'settled_source' THEN 'SettledAtSource' WHEN 'delivered' THEN 'Delivered' ELSE 'Failed' END AS event,
      e.status, ${hex("e.tx_hash")} AS tx_hash, e.reason, e.detail, e.at
    FROM orchestrator.intent_history e JOIN orchestrator.intent_states s ON s.number = e.number`
})
