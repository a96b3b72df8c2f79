/** Triggers that count what transactions cost, and which sweeps they were for. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

/**
 * The whole cost of a transaction counts for its chain alone. A link with a cost moves that part to the sweep's builder and tier, so
 * the parts of a transaction sum to its cost whoever wrote which row.
 */
export const costs = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A self-send earns nothing, so its cost is one of failures.
  yield* sql`CREATE FUNCTION orchestrator.money_of_cost(day date, chain bigint, builder text, tier text, cost numeric,
      rate numeric, earned boolean, sign integer, failed integer) RETURNS SETOF orchestrator.money_parts
    LANGUAGE sql IMMUTABLE AS $$
      SELECT day, chain, builder, tier, 0::bigint, 0::bigint, failed::bigint, 0::numeric,
        CASE WHEN earned THEN sign * trunc(cost * coalesce(rate, 0)) ELSE 0 END,
        CASE WHEN earned THEN 0 ELSE sign * trunc(cost * coalesce(rate, 0)) END,
        CASE WHEN rate IS NULL THEN sign * cost ELSE 0 END
    $$`
  // Both sides of a move: to the sweep, and away from what no sweep bears. With the sign -1 it is taken back. Without settings of its
  // own, so that it becomes a part of the query that calls it.
  yield* sql`CREATE FUNCTION orchestrator.money_of_share(day date, chain bigint, kind text, rate numeric, intent text,
      cost numeric, paid boolean, sign integer) RETURNS SETOF orchestrator.money_parts
    LANGUAGE sql STABLE AS $$
      SELECT m.* FROM orchestrator.intent_states s
      LEFT JOIN orchestrator.intent_terms t ON t.number = s.number
      CROSS JOIN LATERAL (
        SELECT * FROM orchestrator.money_of_cost(day, chain, coalesce(s.builder_id, ''),
          coalesce(t.quote ->> 'appliedTier', ''), cost, rate, paid, sign, CASE WHEN paid THEN 0 ELSE sign END)
        UNION ALL
        SELECT * FROM orchestrator.money_of_cost(day, chain, '', '', cost, rate, kind = 'sweep', -sign, 0)
      ) m
      WHERE s.id = intent
    $$`

  yield* sql`CREATE FUNCTION orchestrator.count_transaction_cost() RETURNS trigger LANGUAGE plpgsql
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
    BEGIN
      IF NOT EXISTS (
        SELECT FROM changed c JOIN former f ON f.id = c.id WHERE (c.cost, c.wei_rate) IS DISTINCT FROM (f.cost, f.wei_rate)
      ) THEN
        RETURN NULL;
      END IF;
      INSERT INTO orchestrator.money_parts
        SELECT m.* FROM (
          SELECT c.finalized_at, c.chain_id, c.kind, c.cost, c.wei_rate, 1 AS sign
          FROM changed c JOIN former f ON f.id = c.id
          WHERE (c.cost, c.wei_rate) IS DISTINCT FROM (f.cost, f.wei_rate) AND c.cost > 0
          UNION ALL
          SELECT f.finalized_at, f.chain_id, f.kind, f.cost, f.wei_rate, -1
          FROM changed c JOIN former f ON f.id = c.id
          WHERE (c.cost, c.wei_rate) IS DISTINCT FROM (f.cost, f.wei_rate) AND f.cost > 0
        ) t CROSS JOIN LATERAL orchestrator.money_of_cost((t.finalized_at AT TIME ZONE 'UTC')::date, t.chain_id, '', '',
          t.cost, t.wei_rate, t.kind = 'sweep', t.sign, 0) m;
      INSERT INTO orchestrator.money_parts
        SELECT m.* FROM changed c
        JOIN former f ON f.id = c.id AND (c.cost, c.wei_rate) IS DISTINCT FROM (f.cost, f.wei_rate) AND f.cost > 0
        JOIN orchestrator.relay_transaction_intents l ON l.transaction_id = f.id AND l.cost IS NOT NULL
        CROSS JOIN LATERAL orchestrator.money_of_share((f.finalized_at AT TIME ZONE 'UTC')::date, f.chain_id, f.kind,
          f.wei_rate, l.intent_id, l.cost, l.paid, -1) m;
      UPDATE orchestrator.relay_transaction_intents l SET cost = NULL, paid = NULL
        FROM changed c JOIN former f ON f.id = c.id AND (c.cost, c.wei_rate) IS DISTINCT FROM (f.cost, f.wei_rate)
          AND f.cost > 0
        WHERE l.transaction_id = f.id AND l.cost IS NOT NULL;
      RETURN NULL;
    END
  $$`
  yield* sql`CREATE TRIGGER relay_transactions_counted AFTER UPDATE ON orchestrator.relay_transactions
    REFERENCING OLD TABLE AS former NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION orchestrator.count_transaction_cost()`

  yield* sql`CREATE FUNCTION orchestrator.count_sweep_cost() RETURNS trigger LANGUAGE plpgsql
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
    BEGIN
      IF NOT EXISTS (SELECT FROM changed WHERE cost IS NOT NULL) THEN
        RETURN NULL;
      END IF;
      INSERT INTO orchestrator.money_parts
        SELECT m.day, m.chain_id, m.builder_id, m.tier, sum(m.sweeps), sum(m.unpriced_sweeps), sum(m.failed), sum(m.fees),
          sum(m.gas), sum(m.failures), sum(m.unpriced_wei)
        FROM changed c
        JOIN former f ON f.transaction_id = c.transaction_id AND f.intent_id = c.intent_id AND f.cost IS NULL
        JOIN orchestrator.relay_transactions t ON t.id = c.transaction_id
        CROSS JOIN LATERAL orchestrator.money_of_share((t.finalized_at AT TIME ZONE 'UTC')::date, t.chain_id, t.kind,
          t.wei_rate, c.intent_id, c.cost, c.paid, 1) m
        WHERE c.cost IS NOT NULL AND t.cost IS NOT NULL
        GROUP BY 1, 2, 3, 4;
      RETURN NULL;
    END
  $$`
  yield* sql`CREATE TRIGGER relay_transaction_intents_counted AFTER UPDATE ON orchestrator.relay_transaction_intents
    REFERENCING OLD TABLE AS former NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION orchestrator.count_sweep_cost()`
})
