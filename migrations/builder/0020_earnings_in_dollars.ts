/**
 * Earnings in US dollars, scaled by 10^18, and their sums by builder, UTC day, chain and token.
 *
 * `usd` of an accrual is its value at the settlement, and a reversal takes it back. It is null without a price, and in entries from
 * before. A payment is worth what its accruals were worth when they were earned, which the line of its batch has: `usd`, and the amount
 * `priced` that this is the value of. Amounts without a price are in `earned_unpriced` and
 * `paid_unpriced`, so that no sum counts them as 0. A chain of 0 stands for none, so that it can be in a key.
 *
 * Triggers add each change to `earning_day_changes` in its own transaction, so that no row is hot, and so that the release before and
 * repairs by hand are counted.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

const COLUMNS = "earned, earned_usd, earned_unpriced, paid, paid_usd, paid_unpriced, sweeps"

const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE builder.ledger_entries ADD COLUMN usd numeric CHECK (scale(usd) = 0)`
  yield* sql`ALTER TABLE builder.payout_lines ADD COLUMN usd numeric, ADD COLUMN priced numeric`
  yield* sql`CREATE OR REPLACE VIEW builder.ledger AS
    SELECT id, kind, builder_id, chain_id, token, earned, paid, sweep_id, tx_hash, payout_id, created_at, usd
    FROM builder.ledger_entries WHERE chain_id IS NOT NULL
    UNION ALL
    SELECT e.id, e.kind, e.builder_id, coalesce(a.chain_id, p.chain_id), e.token, e.earned, e.paid, e.sweep_id, e.tx_hash,
      e.payout_id, e.created_at, e.usd
    FROM builder.ledger_entries e
      LEFT JOIN builder.accrual_chains a ON a.sweep_id = e.sweep_id
      LEFT JOIN builder.payouts p ON p.id = e.payout_id
    WHERE e.chain_id IS NULL`
  const columns = sql.literal(`
    builder_id text COLLATE "C" NOT NULL,
    day date NOT NULL,
    chain_id bigint NOT NULL,
    token builder.address NOT NULL,
    earned numeric NOT NULL,
    earned_usd numeric NOT NULL,
    earned_unpriced numeric NOT NULL,
    paid numeric NOT NULL,
    paid_usd numeric NOT NULL,
    paid_unpriced numeric NOT NULL,
    sweeps bigint NOT NULL`)
  yield* sql`CREATE TABLE builder.earning_days (${columns}, PRIMARY KEY (builder_id, day, chain_id, token))`
  yield* sql`CREATE TABLE builder.earning_day_changes (${columns})
    WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`
  yield* sql`CREATE VIEW builder.earning_day_sums AS
    SELECT * FROM builder.earning_days UNION ALL SELECT * FROM builder.earning_day_changes`
})

/** What each entry adds to the sums: for the first sums and for comparisons, which read all of it. */
const parts = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`CREATE VIEW builder.earning_parts AS
    SELECT e.builder_id, (e.created_at AT TIME ZONE 'UTC')::date AS day,
      coalesce(e.chain_id, a.chain_id, p.chain_id, 0) AS chain_id, e.token,
      e.earned, CASE WHEN e.kind = 'payment' THEN 0 ELSE coalesce(e.usd, 0) END AS earned_usd,
      CASE WHEN e.kind = 'payment' OR e.usd IS NOT NULL THEN 0 ELSE e.earned END AS earned_unpriced,
      e.paid,
      CASE WHEN e.kind = 'payment' THEN coalesce(c.usd, 0) WHEN e.paid = 0 THEN 0 ELSE coalesce(e.usd, 0) END AS paid_usd,
      CASE WHEN e.kind = 'payment' THEN e.paid - coalesce(c.priced, 0) WHEN e.usd IS NOT NULL THEN 0 ELSE e.paid END
        AS paid_unpriced,
      CASE e.kind WHEN 'accrual' THEN 1 WHEN 'reversal' THEN -1 ELSE 0 END::bigint AS sweeps
    FROM builder.ledger_entries e
      LEFT JOIN builder.accrual_chains a ON a.sweep_id = e.sweep_id
      LEFT JOIN builder.payouts p ON p.id = e.payout_id
      LEFT JOIN builder.payout_lines c ON e.kind = 'payment' AND c.payout_id = e.payout_id AND c.builder_id = e.builder_id`
)

const triggers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const columns = sql.literal(COLUMNS)
  // The lock is that of the other sums: an entry without a chain and its assignment see each other.
  yield* sql`CREATE FUNCTION builder.sum_earning() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      chain bigint := NEW.chain_id;
      entry_day date := (NEW.created_at AT TIME ZONE 'UTC')::date;
      line record;
    BEGIN
      IF chain IS NULL THEN
        PERFORM pg_advisory_xact_lock(hashtextextended('token-sweep.chain.' || NEW.sweep_id, 0));
        chain := coalesce(
          (SELECT chain_id FROM builder.accrual_chains WHERE sweep_id = NEW.sweep_id),
          (SELECT chain_id FROM builder.payouts WHERE id = NEW.payout_id), 0);
      END IF;
      IF NEW.kind = 'payment' THEN
        SELECT coalesce(l.usd, 0) AS usd, coalesce(l.priced, 0) AS priced INTO line
          FROM builder.payout_lines l WHERE l.payout_id = NEW.payout_id AND l.builder_id = NEW.builder_id;
        INSERT INTO builder.earning_day_changes (builder_id, day, chain_id, token, ${columns})
          VALUES (NEW.builder_id, entry_day, chain, NEW.token, 0, 0, 0, NEW.paid, line.usd, NEW.paid - line.priced, 0);
      ELSE
        INSERT INTO builder.earning_day_changes (builder_id, day, chain_id, token, ${columns})
          VALUES (NEW.builder_id, entry_day, chain, NEW.token,
            NEW.earned, coalesce(NEW.usd, 0), CASE WHEN NEW.usd IS NULL THEN NEW.earned ELSE 0 END,
            NEW.paid, CASE WHEN NEW.paid = 0 THEN 0 ELSE coalesce(NEW.usd, 0) END,
            CASE WHEN NEW.usd IS NULL THEN NEW.paid ELSE 0 END, CASE NEW.kind WHEN 'accrual' THEN 1 ELSE -1 END);
      END IF;
      RETURN NULL;
    END
  $$`
  yield* sql`CREATE TRIGGER ledger_entries_earned AFTER INSERT ON builder.ledger_entries
    FOR EACH ROW EXECUTE FUNCTION builder.sum_earning()`
  yield* sql`CREATE FUNCTION builder.sum_earning_chain() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtextextended('token-sweep.chain.' || NEW.sweep_id, 0));
      INSERT INTO builder.earning_day_changes (builder_id, day, chain_id, token, ${columns})
        SELECT e.builder_id, (e.created_at AT TIME ZONE 'UTC')::date, c.chain_id, e.token,
          c.sign * e.earned, c.sign * coalesce(e.usd, 0), CASE WHEN e.usd IS NULL THEN c.sign * e.earned ELSE 0 END,
          c.sign * e.paid, CASE WHEN e.paid = 0 THEN 0 ELSE c.sign * coalesce(e.usd, 0) END,
          CASE WHEN e.usd IS NULL THEN c.sign * e.paid ELSE 0 END,
          CASE e.kind WHEN 'accrual' THEN c.sign ELSE -c.sign END
        FROM builder.ledger_entries e CROSS JOIN (VALUES (0::bigint, -1), (NEW.chain_id, 1)) AS c (chain_id, sign)
        WHERE e.sweep_id = NEW.sweep_id AND e.chain_id IS NULL;
      RETURN NULL;
    END
  $$`
  yield* sql`CREATE TRIGGER accrual_chains_earned AFTER INSERT ON builder.accrual_chains
    FOR EACH ROW EXECUTE FUNCTION builder.sum_earning_chain()`
})

const before = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`INSERT INTO builder.earning_days
    SELECT builder_id, day, chain_id, token, sum(earned), sum(earned_usd), sum(earned_unpriced), sum(paid), sum(paid_usd),
      sum(paid_unpriced), sum(sweeps)::bigint
    FROM builder.earning_parts GROUP BY 1, 2, 3, 4`
})

/** For operators: empty when the kept sums are right. It reads whole tables. */
const comparison = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`CREATE VIEW builder.earning_day_differences AS
    SELECT concat_ws(' ', builder_id, day, chain_id, token) AS key,
      sum(sign * (earned - paid + earned_usd + paid_usd + earned_unpriced)) FILTER (WHERE sign = 1) AS kept,
      -sum(sign * (earned - paid + earned_usd + paid_usd + earned_unpriced)) FILTER (WHERE sign = -1) AS counted
    FROM (
      SELECT 1 AS sign, builder_id, day, chain_id, token, earned, paid, earned_usd, paid_usd, earned_unpriced
      FROM builder.earning_day_sums
      UNION ALL SELECT -1, builder_id, day, chain_id, token, earned, paid, earned_usd, paid_usd, earned_unpriced
      FROM builder.earning_parts
    ) AS d GROUP BY builder_id, day, chain_id, token
    HAVING sum(sign * earned) <> 0 OR sum(sign * paid) <> 0 OR sum(sign * earned_usd) <> 0 OR sum(sign * paid_usd) <> 0
      OR sum(sign * earned_unpriced) <> 0`
)

// The triggers lock their tables against writes until the migration commits, so the first sums are exact.
export default Effect.gen(function* () {
  yield* tables
  yield* parts
  yield* triggers
  yield* before
  yield* comparison
})
