/**
 * The treasury: fees that sweeps paid, and the sales that turn them into one asset.
 *
 * A trigger adds the fees of each settled sweep to `treasury_fee_parts`, in the transaction that settles it, and `treasury_fees` sums
 * them up from time to time, so that no row is hot. Fees are kept by delegate, since the delegate decides who receives them. The fees of
 * the treasury's own sales return to the fee recipient and are not counted.
 *
 * A sale is stored before its order is signed, and a token has at most one open sale.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

const sales = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE orchestrator.treasury_rounds (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    began_at timestamptz NOT NULL
  )`
  yield* sql`CREATE TABLE orchestrator.treasury_failures (
    chain_id bigint NOT NULL,
    token orchestrator.address NOT NULL,
    failures integer NOT NULL CHECK (failures > 0),
    reason text NOT NULL,
    detail text NOT NULL,
    failed_at timestamptz NOT NULL,
    PRIMARY KEY (chain_id, token)
  )`
  yield* sql`CREATE TABLE orchestrator.treasury_sales (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    chain_id bigint NOT NULL,
    seller orchestrator.address NOT NULL,
    token orchestrator.address NOT NULL,
    asset orchestrator.address NOT NULL,
    amount orchestrator.uint256 NOT NULL CHECK (amount > 0),
    rest orchestrator.uint256 NOT NULL,
    state text COLLATE "C" NOT NULL DEFAULT 'planned' CHECK (state IN ('planned', 'offered', 'settled', 'failed')),
    version integer NOT NULL DEFAULT 0,
    opened_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    intent_id text COLLATE "C",
    fee_amount orchestrator.uint256,
    amount_out orchestrator.uint256,
    tx_hash orchestrator.hash,
    reason text,
    detail text,
    CONSTRAINT treasury_sales_intent_id_key UNIQUE (intent_id),
    CONSTRAINT treasury_sales_state CHECK (
      (state <> 'planned' OR intent_id IS NULL)
      AND (state NOT IN ('offered', 'settled') OR intent_id IS NOT NULL AND fee_amount < amount)
      AND (state = 'settled') = (amount_out IS NOT NULL AND tx_hash IS NOT NULL)
      AND (state = 'failed') = (reason IS NOT NULL)
    )
  )`
  yield* sql`CREATE UNIQUE INDEX treasury_sales_open ON orchestrator.treasury_sales (chain_id, token)
    WHERE state IN ('planned', 'offered')`
  yield* sql`CREATE INDEX treasury_sales_due ON orchestrator.treasury_sales (due_at) WHERE state IN ('planned', 'offered')`
})

const fees = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE orchestrator.treasury_fees (
    chain_id bigint NOT NULL,
    delegate orchestrator.address NOT NULL,
    token orchestrator.address NOT NULL,
    amount numeric NOT NULL,
    sweeps bigint NOT NULL,
    PRIMARY KEY (chain_id, delegate, token)
  )`
  yield* sql`CREATE TABLE orchestrator.treasury_fee_parts (
    chain_id bigint NOT NULL,
    delegate text NOT NULL,
    token text NOT NULL,
    amount numeric NOT NULL,
    sweeps bigint NOT NULL
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`
  yield* sql`CREATE VIEW orchestrator.treasury_fee_sums AS
    SELECT chain_id, delegate, token, sum(amount) AS amount, sum(sweeps)::bigint AS sweeps FROM (
      SELECT chain_id, delegate::text, token::text, amount, sweeps FROM orchestrator.treasury_fees
      UNION ALL SELECT chain_id, delegate, token, amount, sweeps FROM orchestrator.treasury_fee_parts
    ) AS parts GROUP BY chain_id, delegate, token`
  // A sweep that the bridge refunded has settled before, and has paid its fee.
  yield* sql`CREATE FUNCTION orchestrator.has_settled(status text, failure_reason text) RETURNS boolean
    LANGUAGE sql IMMUTABLE AS $$
      SELECT status IN ('settled_source', 'delivered') OR status = 'failed' AND failure_reason = 'bridge_refunded'
    $$`
  // The settings make the plan look rows up by their keys, also if it was made while the tables were small.
  yield* sql`CREATE FUNCTION orchestrator.collect_treasury_fees() RETURNS trigger LANGUAGE plpgsql
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
    BEGIN
      IF NOT EXISTS (SELECT FROM changed WHERE orchestrator.has_settled(status, failure_reason)) THEN
        RETURN NULL;
      END IF;
      INSERT INTO orchestrator.treasury_fee_parts (chain_id, delegate, token, amount, sweeps)
        SELECT c.source_chain_id, t.quote ->> 'settlementAddress', t.token_in, sum(t.fee_amount), count(*)
        FROM changed c
        JOIN former f ON f.number = c.number
        JOIN orchestrator.intent_terms t ON t.number = c.number
        WHERE orchestrator.has_settled(c.status, c.failure_reason)
          AND NOT orchestrator.has_settled(f.status, f.failure_reason)
          AND t.token_in IS NOT NULL AND t.fee_amount IS NOT NULL AND t.quote ->> 'settlementAddress' IS NOT NULL
          AND NOT EXISTS (SELECT FROM orchestrator.treasury_sales s WHERE s.intent_id = c.id)
        GROUP BY 1, 2, 3;
      RETURN NULL;
    END
  $$`
  yield* sql`CREATE TRIGGER intent_states_collected AFTER UPDATE ON orchestrator.intent_states
    REFERENCING OLD TABLE AS former NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION orchestrator.collect_treasury_fees()`
})

/** For operators: empty when the kept sums are right. It reads whole tables. */
const comparison = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The terms of detached months are gone, and so is what they would add up to. The sums may then only be larger than the rows.
  yield* sql`CREATE VIEW orchestrator.treasury_fee_differences AS
    WITH settled AS (
      SELECT s.id, s.source_chain_id, t.number, t.quote ->> 'settlementAddress' AS delegate, t.token_in, t.fee_amount
      FROM orchestrator.intent_states s LEFT JOIN orchestrator.intent_terms t ON t.number = s.number
      WHERE orchestrator.has_settled(s.status, s.failure_reason)
        AND NOT EXISTS (SELECT FROM orchestrator.treasury_sales o WHERE o.intent_id = s.id)
    ), counted AS (
      SELECT source_chain_id AS chain_id, delegate, token_in::text AS token, sum(fee_amount) AS amount FROM settled
      WHERE delegate IS NOT NULL AND token_in IS NOT NULL AND fee_amount IS NOT NULL
      GROUP BY 1, 2, 3
    )
    SELECT chain_id || ' ' || delegate || ' ' || token AS key, coalesce(k.amount, 0) AS kept, coalesce(c.amount, 0) AS counted
    FROM orchestrator.treasury_fee_sums k
    FULL JOIN counted c USING (chain_id, delegate, token)
    WHERE coalesce(k.amount, 0) < coalesce(c.amount, 0)
      OR coalesce(k.amount, 0) > coalesce(c.amount, 0) AND NOT EXISTS (SELECT FROM settled WHERE number IS NULL)`
})

/** Fees of sweeps that have settled before. The new trigger locks the table against writes until the migration commits. */
const before = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`INSERT INTO orchestrator.treasury_fees (chain_id, delegate, token, amount, sweeps)
    SELECT s.source_chain_id, t.quote ->> 'settlementAddress', t.token_in, sum(t.fee_amount), count(*)
    FROM orchestrator.intent_states s JOIN orchestrator.intent_terms t ON t.number = s.number
    WHERE orchestrator.has_settled(s.status, s.failure_reason)
      AND t.token_in IS NOT NULL AND t.fee_amount IS NOT NULL AND t.quote ->> 'settlementAddress' IS NOT NULL
    GROUP BY 1, 2, 3`
})

export default Effect.gen(function* () {
  yield* sales
  yield* fees
  yield* comparison
  yield* before
})
