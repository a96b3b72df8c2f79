/**
 * Accruals without a chain, which an operator can assign to one. An entry never changes, so the ledger holds those that have been assigned
 * beside them, and a search would read all of them.
 *
 * Triggers add and remove rows in the transaction that books or assigns an accrual, so that the release before is counted. That release
 * searches by `ledger_entries_chainless`, which stays for it.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE builder.chainless (
    sweep_id text COLLATE "C" PRIMARY KEY,
    token builder.address NOT NULL
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`
  yield* sql`CREATE INDEX chainless_of_token ON builder.chainless (token, sweep_id)`

  // The lock is that of the kept sums: an accrual and its assignment see each other.
  yield* sql`CREATE FUNCTION builder.keep_chainless() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtextextended('token-sweep.chain.' || NEW.sweep_id, 0));
      IF NOT EXISTS (SELECT FROM builder.accrual_chains WHERE sweep_id = NEW.sweep_id) THEN
        INSERT INTO builder.chainless (sweep_id, token) VALUES (NEW.sweep_id, NEW.token);
      END IF;
      RETURN NULL;
    END
  $$`
  yield* sql`CREATE TRIGGER ledger_entries_without_chain AFTER INSERT ON builder.ledger_entries
    FOR EACH ROW WHEN (NEW.kind = 'accrual' AND NEW.chain_id IS NULL) EXECUTE FUNCTION builder.keep_chainless()`
  yield* sql`CREATE FUNCTION builder.drop_chainless() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtextextended('token-sweep.chain.' || NEW.sweep_id, 0));
      DELETE FROM builder.chainless WHERE sweep_id = NEW.sweep_id;
      RETURN NULL;
    END
  $$`
  yield* sql`CREATE TRIGGER accrual_chains_assigned AFTER INSERT ON builder.accrual_chains
    FOR EACH ROW EXECUTE FUNCTION builder.drop_chainless()`

  // The triggers lock their tables against writes until the migration commits, so every such accrual has a row.
  yield* sql`CREATE VIEW builder.chainless_accruals AS
    SELECT e.sweep_id, e.token FROM builder.ledger_entries e
    WHERE e.kind = 'accrual' AND e.chain_id IS NULL
      AND NOT EXISTS (SELECT FROM builder.accrual_chains a WHERE a.sweep_id = e.sweep_id)`
  yield* sql`INSERT INTO builder.chainless SELECT * FROM builder.chainless_accruals`
  yield* sql`CREATE VIEW builder.chainless_differences AS
    SELECT coalesce(c.sweep_id, e.sweep_id) AS key, count(c.sweep_id) AS kept, count(e.sweep_id) AS counted
    FROM builder.chainless c FULL JOIN builder.chainless_accruals e ON e.sweep_id = c.sweep_id
    WHERE c.token IS DISTINCT FROM e.token GROUP BY 1`
})
