/**
 * What the service earned and spent by UTC day: fees of settled sweeps, gas of settled sweeps, and gas of failed ones, in US dollars
 * scaled by 10^18.
 *
 * `fee_rate` of a settled sweep and `wei_rate` of a finished transaction are prices at that time, in scaled US dollars for each
 * smallest unit. A fee without one counts at the prices of its quote if the token is listed. `cost` of a link is the sweep's part of
 * the transaction's cost, and `paid` tells if the sweep settled. Triggers add each change to `money_parts` in its own transaction,
 * so that no row is hot, and so that the release before and repairs by hand are counted.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { costs } from "./money/Costs.ts"

const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE orchestrator.intent_states ADD COLUMN fee_rate numeric`
  yield* sql`ALTER TABLE orchestrator.relay_transactions ADD COLUMN wei_rate numeric`
  yield* sql`ALTER TABLE orchestrator.relay_transaction_intents ADD COLUMN cost numeric, ADD COLUMN paid boolean`

  const sums = sql.literal(`
    sweeps bigint NOT NULL,
    unpriced_sweeps bigint NOT NULL,
    failed bigint NOT NULL,
    fees numeric NOT NULL,
    gas numeric NOT NULL,
    failures numeric NOT NULL,
    unpriced_wei numeric NOT NULL`)
  // No builder, and no tier, are empty texts, so that they can be in a key.
  yield* sql`CREATE TABLE orchestrator.money_parts (
    day date NOT NULL,
    chain_id bigint NOT NULL,
    builder_id text COLLATE "C" NOT NULL,
    tier text COLLATE "C" NOT NULL,
    ${sums}
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`
  yield* sql`CREATE TABLE orchestrator.money_chain_days (
    day date NOT NULL,
    chain_id bigint NOT NULL,
    tier text COLLATE "C" NOT NULL,
    ${sums},
    PRIMARY KEY (day, chain_id, tier)
  )`
  yield* sql`CREATE TABLE orchestrator.money_builder_days (
    day date NOT NULL,
    builder_id text COLLATE "C" NOT NULL,
    ${sums},
    PRIMARY KEY (day, builder_id)
  )`
  const columns = sql.literal("sweeps, unpriced_sweeps, failed, fees, gas, failures, unpriced_wei")
  yield* sql`CREATE VIEW orchestrator.money_chain_sums AS
    SELECT day, chain_id, tier, ${columns} FROM orchestrator.money_chain_days
    UNION ALL SELECT day, chain_id, tier, ${columns} FROM orchestrator.money_parts`
  yield* sql`CREATE VIEW orchestrator.money_builder_sums AS
    SELECT day, builder_id, ${columns} FROM orchestrator.money_builder_days
    UNION ALL SELECT day, builder_id, ${columns} FROM orchestrator.money_parts`
})

const fees = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Prices of unlisted tokens may be an attacker's, so quotes do not tell what such a fee is worth.
  yield* sql`CREATE FUNCTION orchestrator.fee_value(rate numeric, amount numeric, quote jsonb) RETURNS numeric
    LANGUAGE sql IMMUTABLE AS $$
      SELECT CASE
        WHEN rate IS NOT NULL THEN trunc(amount * rate)
        WHEN quote ->> 'appliedTier' IN ('tier1', 'tier2') THEN trunc(((quote #>> '{feeBreakdown,protocol,usd}')::numeric
          + (quote #>> '{feeBreakdown,network,usd}')::numeric) * 1000000000000000000)
      END
    $$`
  yield* sql`CREATE VIEW orchestrator.money_settled AS
    SELECT s.number, s.id, (s.updated_at AT TIME ZONE 'UTC')::date AS day, s.source_chain_id AS chain_id,
      coalesce(s.builder_id, '') AS builder_id, coalesce(t.quote ->> 'appliedTier', '') AS tier,
      orchestrator.fee_value(s.fee_rate, t.fee_amount, t.quote) AS value
    FROM orchestrator.intent_states s JOIN orchestrator.intent_terms t ON t.number = s.number
    WHERE orchestrator.has_settled(s.status, s.failure_reason)
      AND NOT EXISTS (SELECT FROM orchestrator.treasury_sales o WHERE o.intent_id = s.id)`
  // The settings make the plan look rows up by their keys, also if it was made while the tables were small.
  yield* sql`CREATE OR REPLACE FUNCTION orchestrator.collect_treasury_fees() RETURNS trigger LANGUAGE plpgsql
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
    BEGIN
      IF NOT EXISTS (SELECT FROM changed WHERE orchestrator.has_settled(status, failure_reason)) THEN
        RETURN NULL;
      END IF;
      WITH settled AS MATERIALIZED (
        SELECT c.source_chain_id AS chain_id, c.builder_id, (c.updated_at AT TIME ZONE 'UTC')::date AS day,
          t.quote ->> 'settlementAddress' AS delegate, t.quote ->> 'appliedTier' AS tier, t.token_in, t.fee_amount,
          orchestrator.fee_value(c.fee_rate, t.fee_amount, t.quote) AS value
        FROM changed c
        JOIN former f ON f.number = c.number
        JOIN orchestrator.intent_terms t ON t.number = c.number
        WHERE orchestrator.has_settled(c.status, c.failure_reason)
          AND NOT orchestrator.has_settled(f.status, f.failure_reason)
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
})

/** Fees and costs from before. The triggers lock their tables against writes until the migration commits. */
const before = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`INSERT INTO orchestrator.money_parts
    (day, chain_id, builder_id, tier, sweeps, unpriced_sweeps, failed, fees, gas, failures, unpriced_wei)
    SELECT day, chain_id, builder_id, tier, count(*), count(*) - count(value), 0, coalesce(sum(value), 0), 0, 0, 0
    FROM orchestrator.money_settled GROUP BY 1, 2, 3, 4`
  yield* sql`INSERT INTO orchestrator.money_parts
    (day, chain_id, builder_id, tier, sweeps, unpriced_sweeps, failed, fees, gas, failures, unpriced_wei)
    SELECT (finalized_at AT TIME ZONE 'UTC')::date, chain_id, '', '', 0, 0, 0, 0, 0, 0, sum(cost)
    FROM orchestrator.relay_transactions WHERE cost > 0 GROUP BY 1, 2`
})

/** For operators: empty when the kept sums are right. It reads whole tables. */
const comparison = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The terms of detached months are gone, and so are the values of their fees.
  yield* sql`CREATE VIEW orchestrator.money_differences AS
    WITH kept AS (
      SELECT chain_id, sum(fees) AS fees, sum(gas + failures) AS costs, sum(unpriced_wei) AS unpriced
      FROM orchestrator.money_chain_sums GROUP BY chain_id
    ), settled AS (
      SELECT chain_id, sum(value) AS fees FROM orchestrator.money_settled GROUP BY chain_id
    ), spent AS (
      SELECT chain_id, sum(trunc(cost * wei_rate)) AS costs, sum(cost) FILTER (WHERE wei_rate IS NULL) AS unpriced
      FROM orchestrator.relay_transactions WHERE cost > 0 GROUP BY chain_id
    ), differences AS (
      SELECT 'fees ' || chain_id AS key, coalesce(k.fees, 0) AS kept, coalesce(s.fees, 0) AS counted
      FROM kept k FULL JOIN settled s USING (chain_id)
      UNION ALL SELECT 'costs ' || chain_id, coalesce(k.costs, 0), coalesce(s.costs, 0)
      FROM kept k FULL JOIN spent s USING (chain_id)
      UNION ALL SELECT 'unpriced ' || chain_id, coalesce(k.unpriced, 0), coalesce(s.unpriced, 0)
      FROM kept k FULL JOIN spent s USING (chain_id)
      UNION ALL SELECT 'builders', (SELECT coalesce(sum(fees - gas - failures), 0) FROM orchestrator.money_builder_sums),
        (SELECT coalesce(sum(fees - costs), 0) FROM kept)
    )
    SELECT key, kept, counted FROM differences WHERE kept < counted
      OR kept > counted AND NOT (key LIKE 'fees %' AND EXISTS (
        SELECT FROM orchestrator.intent_states s
        WHERE orchestrator.has_settled(s.status, s.failure_reason)
          AND NOT EXISTS (SELECT FROM orchestrator.intent_terms t WHERE t.number = s.number)
      ))`
})

export default Effect.gen(function* () {
  yield* tables
  yield* fees
  yield* costs
  yield* comparison
  yield* before
})
