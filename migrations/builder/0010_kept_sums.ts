/**
 * Sums of the ledger, of revenue and of sweeps that are kept instead of computed from every row, and retention.
 *
 * Each row adds its change to a table of changes, in its own transaction, and the sums take up the changes from time to time.
 * A sum that every transaction updates would serialize them. Triggers do it, so that the release before, and repairs by hand,
 * are counted as well.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

/** Settings of tables whose rows are added and soon deleted. */
const SHORT_LIVED = "WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)"

const ledger = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE builder.ledger_sums (
    builder_id text COLLATE "C" NOT NULL,
    token builder.address NOT NULL,
    chain_id bigint,
    earned numeric NOT NULL,
    paid numeric NOT NULL,
    entries bigint NOT NULL,
    CONSTRAINT ledger_sums_key UNIQUE NULLS NOT DISTINCT (builder_id, token, chain_id)
  )`
  // Over all builders, of whom there may be many.
  yield* sql`CREATE TABLE builder.treasury_sums (
    token builder.address NOT NULL,
    chain_id bigint,
    earned numeric NOT NULL,
    paid numeric NOT NULL,
    entries bigint NOT NULL,
    CONSTRAINT treasury_sums_key UNIQUE NULLS NOT DISTINCT (token, chain_id)
  )`
  yield* sql`CREATE TABLE builder.ledger_sum_changes (
    builder_id text COLLATE "C" NOT NULL,
    token builder.address NOT NULL,
    chain_id bigint,
    earned numeric NOT NULL,
    paid numeric NOT NULL,
    entries bigint NOT NULL
  ) ${sql.literal(SHORT_LIVED)}`

  // An entry without a chain has that of its assignment. The lock makes an entry and the assignment see each other.
  yield* sql`CREATE FUNCTION builder.sum_ledger_entry() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      chain bigint := NEW.chain_id;
    BEGIN
      IF chain IS NULL THEN
        PERFORM pg_advisory_xact_lock(hashtextextended('token-sweep.chain.' || NEW.sweep_id, 0));
        chain := coalesce(
          (SELECT chain_id FROM builder.accrual_chains WHERE sweep_id = NEW.sweep_id),
          (SELECT chain_id FROM builder.payouts WHERE id = NEW.payout_id));
      END IF;
      INSERT INTO builder.ledger_sum_changes VALUES (NEW.builder_id, NEW.token, chain, NEW.earned, NEW.paid, 1);
      RETURN NULL;
    END
  $$`
  yield* sql`CREATE TRIGGER ledger_entries_summed AFTER INSERT ON builder.ledger_entries
    FOR EACH ROW EXECUTE FUNCTION builder.sum_ledger_entry()`
  yield* sql`CREATE FUNCTION builder.sum_accrual_chain() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtextextended('token-sweep.chain.' || NEW.sweep_id, 0));
      INSERT INTO builder.ledger_sum_changes
        SELECT e.builder_id, e.token, c.chain_id, c.sign * e.earned, c.sign * e.paid, c.sign
        FROM builder.ledger_entries e CROSS JOIN (VALUES (NULL::bigint, -1), (NEW.chain_id, 1)) AS c (chain_id, sign)
        WHERE e.sweep_id = NEW.sweep_id AND e.chain_id IS NULL;
      RETURN NULL;
    END
  $$`
  yield* sql`CREATE TRIGGER accrual_chains_summed AFTER INSERT ON builder.accrual_chains
    FOR EACH ROW EXECUTE FUNCTION builder.sum_accrual_chain()`

  yield* sql`CREATE VIEW builder.ledger_totals AS
    SELECT builder_id, token, chain_id, sum(earned) AS earned, sum(paid) AS paid, sum(entries) AS entries FROM (
      SELECT * FROM builder.ledger_sums UNION ALL SELECT builder_id, token, chain_id, earned, paid, entries
      FROM builder.ledger_sum_changes
    ) AS parts GROUP BY builder_id, token, chain_id HAVING sum(entries) <> 0`
  yield* sql`CREATE VIEW builder.treasury_totals AS
    SELECT token, chain_id, sum(earned) AS earned, sum(paid) AS paid, sum(entries) AS entries FROM (
      SELECT * FROM builder.treasury_sums UNION ALL SELECT token, chain_id, earned, paid, entries
      FROM builder.ledger_sum_changes
    ) AS parts GROUP BY token, chain_id HAVING sum(entries) <> 0`
  yield* sql`INSERT INTO builder.ledger_sums
    SELECT builder_id, token, chain_id, sum(earned), sum(paid), count(*) FROM builder.ledger GROUP BY 1, 2, 3`
  yield* sql`INSERT INTO builder.treasury_sums
    SELECT token, chain_id, sum(earned), sum(paid), sum(entries) FROM builder.ledger_sums GROUP BY 1, 2`
})

const revenue = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE builder.revenue_days (
    day date NOT NULL,
    chain_id bigint NOT NULL,
    token builder.address NOT NULL,
    amount numeric NOT NULL,
    sweeps bigint NOT NULL,
    PRIMARY KEY (day, chain_id, token)
  )`
  yield* sql`CREATE TABLE builder.revenue_day_changes (
    day date NOT NULL,
    chain_id bigint NOT NULL,
    token builder.address NOT NULL,
    amount numeric NOT NULL,
    sweeps bigint NOT NULL
  ) ${sql.literal(SHORT_LIVED)}`
  yield* sql`CREATE FUNCTION builder.sum_revenue() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO builder.revenue_day_changes
        VALUES ((NEW.settled_at AT TIME ZONE 'UTC')::date, NEW.chain_id, NEW.token, NEW.amount, 1);
      RETURN NULL;
    END
  $$`
  yield* sql`CREATE TRIGGER revenue_summed AFTER INSERT ON builder.revenue
    FOR EACH ROW EXECUTE FUNCTION builder.sum_revenue()`
  yield* sql`CREATE VIEW builder.revenue_day_sums AS
    SELECT * FROM builder.revenue_days UNION ALL SELECT * FROM builder.revenue_day_changes`
  yield* sql`INSERT INTO builder.revenue_days
    SELECT (settled_at AT TIME ZONE 'UTC')::date, chain_id, token, sum(amount), count(*) FROM builder.revenue
    GROUP BY 1, 2, 3`
})

const sweeps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE builder.sweep_days (
    builder_id text COLLATE "C" NOT NULL,
    day date NOT NULL,
    status text COLLATE "C" NOT NULL,
    chain_id bigint NOT NULL,
    token builder.address NOT NULL,
    amount numeric NOT NULL,
    sweeps bigint NOT NULL,
    PRIMARY KEY (builder_id, day, status, chain_id, token)
  )`
  yield* sql`CREATE TABLE builder.sweep_day_changes (
    builder_id text COLLATE "C" NOT NULL,
    day date NOT NULL,
    status text COLLATE "C" NOT NULL,
    chain_id bigint NOT NULL,
    token builder.address NOT NULL,
    amount numeric NOT NULL,
    sweeps bigint NOT NULL
  ) ${sql.literal(SHORT_LIVED)}`
  yield* sql`CREATE FUNCTION builder.sum_sweep() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'UPDATE' THEN
        IF (OLD.status, OLD.started_at) IS NOT DISTINCT FROM (NEW.status, NEW.started_at) THEN
          RETURN NULL;
        END IF;
        INSERT INTO builder.sweep_day_changes VALUES (OLD.builder_id, (OLD.started_at AT TIME ZONE 'UTC')::date,
          OLD.status, OLD.source_chain_id, OLD.token_in, -OLD.amount_in, -1);
      END IF;
      INSERT INTO builder.sweep_day_changes VALUES (NEW.builder_id, (NEW.started_at AT TIME ZONE 'UTC')::date,
        NEW.status, NEW.source_chain_id, NEW.token_in, NEW.amount_in, 1);
      RETURN NULL;
    END
  $$`
  yield* sql`CREATE TRIGGER sweeps_summed AFTER INSERT OR UPDATE ON builder.sweeps
    FOR EACH ROW EXECUTE FUNCTION builder.sum_sweep()`
  yield* sql`CREATE VIEW builder.sweep_day_sums AS
    SELECT * FROM builder.sweep_days UNION ALL SELECT * FROM builder.sweep_day_changes`
  yield* sql`INSERT INTO builder.sweep_days
    SELECT builder_id, (started_at AT TIME ZONE 'UTC')::date, status, source_chain_id, token_in, sum(amount_in), count(*)
    FROM builder.sweeps GROUP BY 1, 2, 3, 4, 5`
})

/** For operators: empty when the kept sums are right. It reads the whole tables. */
const differences = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`CREATE VIEW builder.sum_differences AS
    SELECT 'ledger' AS sums, concat_ws(' ', builder_id, token, chain_id) AS key,
      sum(kept) AS kept, sum(counted) AS counted
    FROM (
      SELECT builder_id, token, chain_id, earned - paid AS kept, 0 AS counted FROM builder.ledger_totals
      UNION ALL
      SELECT builder_id, token, chain_id, 0, earned - paid FROM builder.ledger
    ) AS l GROUP BY builder_id, token, chain_id HAVING sum(kept) <> sum(counted)
    UNION ALL
    SELECT 'treasury', concat_ws(' ', token, chain_id), sum(kept), sum(counted)
    FROM (
      SELECT token, chain_id, earned - paid AS kept, 0 AS counted FROM builder.treasury_totals
      UNION ALL
      SELECT token, chain_id, 0, earned - paid FROM builder.ledger
    ) AS t GROUP BY token, chain_id HAVING sum(kept) <> sum(counted)
    UNION ALL
    SELECT 'revenue', concat_ws(' ', day, chain_id, token), sum(kept), sum(counted)
    FROM (
      SELECT day, chain_id, token, amount AS kept, 0 AS counted FROM builder.revenue_day_sums
      UNION ALL
      SELECT (settled_at AT TIME ZONE 'UTC')::date, chain_id, token, 0, amount FROM builder.revenue
    ) AS r GROUP BY day, chain_id, token HAVING sum(kept) <> sum(counted)
    UNION ALL
    SELECT 'sweeps', concat_ws(' ', builder_id, day, status, chain_id, token), sum(kept), sum(counted)
    FROM (
      SELECT builder_id, day, status, chain_id, token, sweeps AS kept, 0 AS counted FROM builder.sweep_day_sums
      UNION ALL
      SELECT builder_id, (started_at AT TIME ZONE 'UTC')::date, status, source_chain_id, token_in, 0, 1 FROM builder.sweeps
    ) AS s GROUP BY builder_id, day, status, chain_id, token HAVING sum(kept) <> sum(counted)`
)

/** Events are found by their time, and may be deleted by a transaction that says so. */
const retention = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE INDEX sweep_events_recorded ON builder.sweep_events (recorded_at)`
  yield* sql`CREATE INDEX alerts_cleared ON builder.alerts (cleared_at) WHERE cleared_at IS NOT NULL`
  yield* sql`CREATE FUNCTION builder.refuse_change_of_recent() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'DELETE' AND current_setting('token_sweep.retention', true) = 'on' THEN
        RETURN NULL;
      END IF;
      RAISE EXCEPTION '%.% is append-only', TG_TABLE_SCHEMA, TG_TABLE_NAME;
    END
  $$`
  // The other tables that are only added to hold money, and keep the function that always refuses.
  yield* sql`DROP TRIGGER sweep_events_append_only ON builder.sweep_events`
  yield* sql`CREATE TRIGGER sweep_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON builder.sweep_events
    FOR EACH STATEMENT EXECUTE FUNCTION builder.refuse_change_of_recent()`
})

// The triggers lock their tables against writes until the migration commits, so the first sums are exact.
export default Effect.gen(function* () {
  yield* ledger
  yield* revenue
  yield* sweeps
  yield* differences
  yield* retention
})
