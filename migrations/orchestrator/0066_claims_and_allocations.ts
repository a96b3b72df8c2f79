/**
 * Claims and allocations as functions. Each was a transaction of four or five statements, and held its locks while the answers of those
 * went to the service and back: twenty times as long on a process that is late. Both belong to the adapters of the same names.
 */
import { Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import * as SqlClient from "effect/sql/SqlClient"

/**
 * The queue may be empty when a plan is made, and long when it is used: the planner then takes reading it from end to end for free. A plan
 * that is not allowed has a huge cost, for which servers with LLVM would compile it.
 */
const BY_KEYS = `SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
  SET plan_cache_mode = force_generic_plan`

const claims = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /** Intents that can be claimed now and meet the condition, oldest first. Locks up to `limit` of them. */
  const free = (condition: Fragment, limit: Fragment): Fragment => sql`
    SELECT c.intent_id, c.account, c.submitted_at FROM orchestrator.intent_queue c
    WHERE c.source_chain_id = of_chain
      AND (c.lease_until IS NULL OR c.lease_until <= claimed_at)
      AND ${condition}
      AND NOT EXISTS (
        SELECT FROM orchestrator.relay_transaction_intents l
        WHERE l.active AND l.account = c.account
        OFFSET 0
      )
      AND NOT EXISTS (
        SELECT FROM orchestrator.intent_queue o
        WHERE o.account = c.account AND o.intent_id <> c.intent_id
          AND (
            o.lease_until > claimed_at
            OR (o.not_before IS NULL OR o.not_before <= claimed_at)
              AND (o.submitted_at, o.intent_id) < (c.submitted_at, c.intent_id)
          )
        OFFSET 0
      )
    ORDER BY c.submitted_at, c.intent_id
    LIMIT ${limit}
    FOR UPDATE SKIP LOCKED`

  /** Leases what `free` has, with the legs of the same sweep. A row of a sweep is looked up by keys: OFFSET 0 keeps it so. */
  const leased = (candidates: Fragment): Fragment => sql`
    RETURN QUERY WITH ${candidates}, sibling AS (
      SELECT q.intent_id, free.intent_id AS oldest
      FROM free
      CROSS JOIN LATERAL (SELECT * FROM orchestrator.intent_states s WHERE s.id = free.intent_id OFFSET 0) s
      CROSS JOIN LATERAL (SELECT * FROM orchestrator.intent_signatures g WHERE g.number = s.number OFFSET 0) g
      CROSS JOIN LATERAL (SELECT * FROM orchestrator.sweeps w WHERE w.id = g.sweep_id OFFSET 0) w
      CROSS JOIN LATERAL unnest(w.intent_ids) AS leg (id)
      JOIN orchestrator.intent_queue q ON q.intent_id = leg.id
      WHERE q.account = free.account AND q.intent_id <> free.intent_id
        AND (q.lease_until IS NULL OR q.lease_until <= claimed_at)
        AND (q.not_before IS NULL OR q.not_before <= claimed_at)
      FOR UPDATE OF q SKIP LOCKED
    ), counted AS (
      SELECT legs.ids, sum(cardinality(legs.ids)) OVER (ORDER BY free.turn, free.submitted_at, free.intent_id) AS total
      FROM free CROSS JOIN LATERAL (
        SELECT free.intent_id || array_agg(intent_id) AS ids FROM sibling WHERE oldest = free.intent_id
      ) legs
    ), taken AS (
      SELECT unnest(ids) AS intent_id FROM counted WHERE total <= most OR total = cardinality(ids)
    )
    UPDATE orchestrator.intent_queue q
    SET lease_worker = of_worker, lease_until = leased_until, not_before = NULL
    FROM taken WHERE q.intent_id = taken.intent_id
    RETURNING q.intent_id;`

  const fresh = free(sql`c.not_before IS NULL`, sql`most`)
  const postponed = free(sql`c.not_before <= claimed_at`, sql`(SELECT most - count(*) FROM fresh)`)
  const any = free(sql`(c.not_before IS NULL OR c.not_before <= claimed_at)`, sql`most`)

  // "None in flight for the owner" depends on rows that the statement does not lock, so two claims of one chain must not overlap. Each
  // statement of the function sees what was committed before it, which is why the lock is a statement of its own. The release before
  // takes the same lock. Without a sort the candidates are read in the order of an index.
  yield* sql`CREATE FUNCTION orchestrator.claim_intents(
    of_chain bigint, of_worker text, claimed_at timestamptz, leased_until timestamptz, most bigint, is_by_age boolean
  ) RETURNS SETOF text LANGUAGE plpgsql ${sql.literal(BY_KEYS)} SET enable_sort = off AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtextextended('token-sweep.claim.' || of_chain, 0));
      IF is_by_age THEN
        ${leased(sql`oldest AS (${any}), free AS (SELECT *, 0 AS turn FROM oldest)`)}
      ELSE
        ${leased(sql`fresh AS (${fresh}), postponed AS (${postponed}),
          free AS (SELECT *, 0 AS turn FROM fresh UNION ALL SELECT *, 1 FROM postponed)`)}
      END IF;
    END
  $$`
})

const allocations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The lane's row serializes its allocations. The states are locked before their rows of the queue, as by everything that moves an
  // intent. Nothing is stored unless all holds.
  yield* sql`CREATE FUNCTION orchestrator.allocate_nonce(
    of_chain bigint, of_lane orchestrator.address, chain_nonce bigint, intents text[], reserve numeric, allocated_at timestamptz,
    signed_nonce bigint, signed_hash orchestrator.hash, signed_raw bytea, max_fee numeric, max_tip numeric, signed_time timestamptz,
    OUT free_nonce bigint, OUT allocated bigint, OUT taken text[], OUT is_open boolean
  ) LANGUAGE plpgsql ${sql.literal(BY_KEYS)} AS $$
    BEGIN
      SELECT greatest(l.next_nonce, chain_nonce) INTO free_nonce
        FROM orchestrator.lanes l WHERE l.chain_id = of_chain AND l.lane = of_lane FOR UPDATE;
      free_nonce := coalesce(free_nonce, chain_nonce);
      is_open := NOT EXISTS (SELECT FROM orchestrator.lane_states n WHERE n.lane = of_lane AND n.state <> 'active');
      WITH free AS (
        SELECT s.id FROM orchestrator.intent_states s JOIN orchestrator.intent_queue q ON q.intent_id = s.id
        WHERE s.id = ANY(intents) AND s.source_chain_id = of_chain
          AND s.status = 'submitted' AND s.relay_transaction_id IS NULL
        ORDER BY s.id
        FOR UPDATE OF s, q
      )
      SELECT ARRAY(SELECT unnest(intents) EXCEPT SELECT free.id::text FROM free) INTO taken;
      IF NOT is_open OR taken <> '{}' OR free_nonce <> signed_nonce THEN
        RETURN;
      END IF;
      INSERT INTO orchestrator.lanes AS l (chain_id, lane, next_nonce) VALUES (of_chain, of_lane, signed_nonce + 1)
        ON CONFLICT (chain_id, lane) DO UPDATE SET next_nonce = excluded.next_nonce WHERE l.next_nonce <= signed_nonce;
      IF NOT FOUND THEN
        -- Another process made the lane's row meanwhile.
        SELECT l.next_nonce INTO free_nonce FROM orchestrator.lanes l WHERE l.chain_id = of_chain AND l.lane = of_lane;
          RETURN;
      END IF;
      INSERT INTO orchestrator.relay_transactions (chain_id, lane, nonce, kind, reserved, created_at)
        VALUES (of_chain, of_lane, signed_nonce, CASE WHEN intents = '{}' THEN 'cancel' ELSE 'sweep' END, reserve, allocated_at)
        RETURNING relay_transactions.id INTO allocated;
      INSERT INTO orchestrator.relay_transaction_intents (transaction_id, intent_id, position, account)
        SELECT allocated, q.intent_id, array_position(intents, q.intent_id::text), q.account
        FROM orchestrator.intent_queue q WHERE q.intent_id = ANY(intents);
      INSERT INTO orchestrator.relay_attempts (
        hash, transaction_id, raw, max_fee_per_gas, max_priority_fee_per_gas, signed_at
      ) VALUES (signed_hash, allocated, signed_raw, max_fee, max_tip, signed_time);
      UPDATE orchestrator.intent_states s
        SET relay_transaction_id = allocated, tx_hash = decode(substr(signed_hash, 3), 'hex'), updated_at = allocated_at
        WHERE s.id = ANY(intents);
    END
  $$`
})

export default Effect.gen(function* () {
  yield* claims
  yield* allocations
})
