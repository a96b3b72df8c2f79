/**
 * Lets a claim pass by what rests. The index of the queue had no times of rest, so each claim read all intents that were put off, and
 * seven hundred of them doubled the work of the database. An index for each part of the queue ends where the resting ones begin.
 */
import { Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import * as SqlClient from "effect/sql/SqlClient"

/** As for the function before: plans are made while the queue may be empty, and used when it is long. */
const BY_KEYS = `SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
  SET plan_cache_mode = force_generic_plan SET enable_sort = off SET enable_bitmapscan = off`

/** Intents of one part of the queue that can be claimed now, in the given order. Locks up to `limit` of them. */
const free = (sql: SqlClient.SqlClient, part: Fragment, order: Fragment, limit: Fragment): Fragment => sql`
  SELECT c.intent_id, c.account, c.submitted_at FROM orchestrator.intent_queue c
  WHERE c.source_chain_id = of_chain AND ${part}
    AND (c.lease_until IS NULL OR c.lease_until <= claimed_at)
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
  ORDER BY ${order}
  LIMIT ${limit}
  FOR UPDATE SKIP LOCKED`

/** Leases what `free` has, with the legs of the same sweep. A row of a sweep is looked up by keys: OFFSET 0 keeps it so. */
const leased = (sql: SqlClient.SqlClient, candidates: Fragment): Fragment => sql`
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

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX intent_queue_fresh ON orchestrator.intent_queue (source_chain_id, submitted_at, intent_id)
    WHERE not_before IS NULL`
  yield* sql`CREATE INDEX intent_queue_postponed ON orchestrator.intent_queue (source_chain_id, not_before, intent_id)
    WHERE not_before IS NOT NULL`
  // Both have all its rows, and a planner that saw an empty queue could take it instead.
  yield* sql`DROP INDEX orchestrator.intent_queue_oldest`

  const byAge = sql`c.submitted_at, c.intent_id`
  const byEndOfRest = sql`c.not_before, c.intent_id`
  const fresh = free(sql, sql`c.not_before IS NULL`, byAge, sql`most`)
  const rested = (limit: Fragment) => free(sql, sql`c.not_before <= claimed_at`, byEndOfRest, limit)

  // "None in flight for the owner" depends on rows that the statement does not lock, so two claims of one chain must not overlap. Each
  // statement of the function sees what was committed before it, which is why the lock is a statement of its own.
  yield* sql`CREATE OR REPLACE FUNCTION orchestrator.claim_intents(
    of_chain bigint, of_worker text, claimed_at timestamptz, leased_until timestamptz, most bigint, is_by_age boolean
  ) RETURNS SETOF text LANGUAGE plpgsql ${sql.literal(BY_KEYS)} AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtextextended('token-sweep.claim.' || of_chain, 0));
      IF is_by_age THEN
        ${leased(
          sql,
          sql`fresh AS (${fresh}), rested AS (${rested(sql`most`)}),
          free AS (
            SELECT *, 0 AS turn FROM (SELECT * FROM fresh UNION ALL SELECT * FROM rested) AS either
            ORDER BY submitted_at, intent_id LIMIT most
          )`
        )}
      ELSE
        ${leased(
          sql,
          sql`fresh AS (${fresh}), rested AS (${rested(sql`(SELECT most - count(*) FROM fresh)`)}),
          free AS (SELECT *, 0 AS turn FROM fresh UNION ALL SELECT *, 1 FROM rested)`
        )}
      END IF;
    END
  $$`
})
