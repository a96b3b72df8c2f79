/**
 * Lets triggers read the rows of a statement once. A transition table has no index, so a join of two of them compares each row with
 * each, and so does a join with a queue whose plan was made while the queue was empty. Statements that settle 500 sweeps spent most of
 * their CPU time on it.
 *
 * `NOT IN (SELECT …)` is a hash table, and `= ANY(ARRAY(…))` a look-up by key, whatever the planner knows.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

const BY_KEYS =
  "LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off"

const queues = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const byKeys = sql.literal(BY_KEYS)

  yield* sql`CREATE OR REPLACE FUNCTION orchestrator.intents_changed() RETURNS trigger ${byKeys} AS $$
    BEGIN
      INSERT INTO orchestrator.intent_count_parts
        SELECT status, sum(change) FROM (
          SELECT status, 1 AS change FROM changed UNION ALL SELECT status, -1 FROM former
        ) AS parts GROUP BY status HAVING sum(change) <> 0;
      DELETE FROM orchestrator.open_quotes
        WHERE number = ANY(ARRAY(SELECT c.number FROM changed c WHERE c.status <> 'quoted'));
      DELETE FROM orchestrator.intent_queue WHERE intent_id = ANY(ARRAY(
        SELECT c.id FROM changed c WHERE c.status <> 'submitted' OR c.relay_transaction_id IS NOT NULL));
      INSERT INTO orchestrator.intent_queue (intent_id, source_chain_id, account, submitted_at, deadline, not_before)
        SELECT c.id, c.source_chain_id, c.source_chain_id || ':' || c.owner, c.submitted_at, c.deadline,
          (SELECT g.not_before FROM orchestrator.given_up_intents g WHERE g.intent_id = c.id)
        FROM changed c WHERE c.status = 'submitted' AND c.relay_transaction_id IS NULL
        ON CONFLICT (intent_id) DO NOTHING;
      DELETE FROM orchestrator.intent_deliveries WHERE intent_id = ANY(ARRAY(
        SELECT c.id FROM changed c
        WHERE c.status <> 'settled_source' AND (c.status <> 'delivered' OR c.delivery_tx_hash IS NOT NULL)));
      INSERT INTO orchestrator.intent_deliveries AS d (
        intent_id, source_chain_id, dest_chain_id, delivered, since, look_at
      )
        SELECT c.id, c.source_chain_id, c.dest_chain_id, c.status = 'delivered', c.updated_at, c.updated_at FROM changed c
        WHERE c.status = 'settled_source' OR c.status = 'delivered' AND c.delivery_tx_hash IS NULL
        ON CONFLICT (intent_id) DO UPDATE SET delivered = excluded.delivered, since = excluded.since
        WHERE d.delivered <> excluded.delivered;
      RETURN NULL;
    END
  $$`
  // An account has one row, of the transaction that holds it. It goes when this transaction has no link in force.
  yield* sql`CREATE OR REPLACE FUNCTION orchestrator.accounts_freed() RETURNS trigger ${byKeys} AS $$
    DECLARE
      accounts text[] := ARRAY(SELECT DISTINCT account FROM changed WHERE NOT active);
    BEGIN
      IF accounts = '{}' THEN
        RETURN NULL;
      END IF;
      PERFORM FROM orchestrator.live_accounts a WHERE a.account = ANY(accounts) ORDER BY a.account FOR UPDATE;
      DELETE FROM orchestrator.live_accounts a
        WHERE a.account = ANY(accounts) AND (a.account, a.transaction_id) NOT IN (
          SELECT l.account, l.transaction_id FROM orchestrator.relay_transaction_intents l
          WHERE l.active AND l.account = ANY(accounts)
        );
      RETURN NULL;
    END
  $$`
})

const money = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const byKeys = sql.literal(BY_KEYS)

  yield* sql`CREATE OR REPLACE FUNCTION orchestrator.collect_treasury_fees() RETURNS trigger ${byKeys} AS $$
    BEGIN
      IF NOT EXISTS (SELECT FROM changed WHERE orchestrator.has_settled(status, failure_reason)) THEN
        RETURN NULL;
      END IF;
      WITH settled AS MATERIALIZED (
        SELECT c.source_chain_id AS chain_id, c.builder_id, (c.updated_at AT TIME ZONE 'UTC')::date AS day,
          t.quote ->> 'settlementAddress' AS delegate, t.quote ->> 'appliedTier' AS tier, t.token_in, t.fee_amount,
          orchestrator.fee_value(c.fee_rate, t.fee_amount, t.quote) AS value
        FROM changed c
        JOIN orchestrator.intent_terms t ON t.number = c.number
        WHERE orchestrator.has_settled(c.status, c.failure_reason)
          AND c.number NOT IN (
            SELECT f.number FROM former f WHERE orchestrator.has_settled(f.status, f.failure_reason)
          )
          AND NOT EXISTS (SELECT FROM orchestrator.treasury_sales s WHERE s.intent_id = c.id)
      ), money AS (
        INSERT INTO orchestrator.money_parts
          (day, chain_id, builder_id, tier, sweeps, unpriced_sweeps, failed, fees, gas, failures, unpriced_wei)
        SELECT day, chain_id, coalesce(builder_id, ''), coalesce(tier, ''), count(*), count(*) - count(value), 0,
          coalesce(sum(value), 0), 0, 0, 0
        FROM settled GROUP BY 1, 2, 3, 4
      )
      INSERT INTO orchestrator.treasury_fee_parts (chain_id, delegate, token, amount, sweeps)
        SELECT chain_id, delegate, token_in, sum(fee_amount), count(*) FROM settled
        WHERE token_in IS NOT NULL AND fee_amount IS NOT NULL AND delegate IS NOT NULL
        GROUP BY 1, 2, 3;
      RETURN NULL;
    END
  $$`
  yield* sql`CREATE OR REPLACE FUNCTION orchestrator.count_sweep_cost() RETURNS trigger ${byKeys} AS $$
    BEGIN
      IF NOT EXISTS (SELECT FROM changed WHERE cost IS NOT NULL) THEN
        RETURN NULL;
      END IF;
      INSERT INTO orchestrator.money_parts
        SELECT m.day, m.chain_id, m.builder_id, m.tier, sum(m.sweeps), sum(m.unpriced_sweeps), sum(m.failed), sum(m.fees),
          sum(m.gas), sum(m.failures), sum(m.unpriced_wei)
        FROM changed c
        JOIN orchestrator.relay_transactions t ON t.id = c.transaction_id
        CROSS JOIN LATERAL orchestrator.money_of_share((t.finalized_at AT TIME ZONE 'UTC')::date, t.chain_id, t.kind,
          t.wei_rate, c.intent_id, c.cost, c.paid, 1) m
        WHERE c.cost IS NOT NULL AND t.cost IS NOT NULL
          AND (c.transaction_id, c.intent_id) NOT IN (
            SELECT f.transaction_id, f.intent_id FROM former f WHERE f.cost IS NOT NULL
          )
        GROUP BY 1, 2, 3, 4;
      RETURN NULL;
    END
  $$`
})

export default Effect.gen(function* () {
  yield* queues
  yield* money
})
