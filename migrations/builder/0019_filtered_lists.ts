/**
 * Indexes of the lists that builders filter: their earnings, sweeps and webhook deliveries.
 *
 * `earnings` has a row for each accrual, with the status and the chain that it has now, which entries of the ledger do not say.
 * Triggers keep it, so that the release before and repairs by hand are listed as well. A chain of 0 stands for none, so that an
 * index finds it. Accruals of a large paid batch are listed as paid by a loop, in the order of their ids, since one statement would take
 * too long.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

const earnings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE builder.earnings (
    id bigint NOT NULL,
    builder_id text COLLATE "C" NOT NULL,
    chain_id bigint NOT NULL,
    token builder.address NOT NULL,
    status text COLLATE "C" NOT NULL CHECK (status IN ('owed', 'paid', 'reversed')),
    created_at timestamptz NOT NULL
  )`
  yield* sql`CREATE FUNCTION builder.list_entry() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.kind = 'accrual' THEN
        INSERT INTO builder.earnings VALUES (
          NEW.id, NEW.builder_id,
          coalesce(NEW.chain_id, (SELECT chain_id FROM builder.accrual_chains WHERE sweep_id = NEW.sweep_id), 0),
          NEW.token, CASE WHEN NEW.tx_hash IS NULL THEN 'owed' ELSE 'paid' END, NEW.created_at);
      ELSIF NEW.kind = 'reversal' THEN
        UPDATE builder.earnings SET status = 'reversed' WHERE id = (
          SELECT id FROM builder.ledger_entries WHERE sweep_id = NEW.sweep_id AND kind = 'accrual');
      END IF;
      RETURN NULL;
    END
  $$`
  yield* sql`CREATE TRIGGER ledger_entries_listed AFTER INSERT ON builder.ledger_entries
    FOR EACH ROW EXECUTE FUNCTION builder.list_entry()`
  yield* sql`CREATE FUNCTION builder.list_chain() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE builder.earnings SET chain_id = NEW.chain_id WHERE id = (
        SELECT id FROM builder.ledger_entries
        WHERE sweep_id = NEW.sweep_id AND kind = 'accrual' AND chain_id IS NULL);
      RETURN NULL;
    END
  $$`
  yield* sql`CREATE TRIGGER accrual_chains_listed AFTER INSERT ON builder.accrual_chains
    FOR EACH ROW EXECUTE FUNCTION builder.list_chain()`
  yield* sql`CREATE TABLE builder.unlisted_payouts (
    payout_id text COLLATE "C" PRIMARY KEY,
    after_entry bigint NOT NULL DEFAULT 0
  )`
  yield* sql`CREATE FUNCTION builder.list_payout() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF (SELECT sum(entries) FROM builder.payout_lines WHERE payout_id = NEW.id) > 1000 THEN
        INSERT INTO builder.unlisted_payouts (payout_id) VALUES (NEW.id);
        RETURN NULL;
      END IF;
      UPDATE builder.earnings e SET status = 'paid' FROM builder.payout_claims c
        WHERE c.payout_id = NEW.id AND NOT c.released AND e.id = c.entry_id AND e.status = 'owed';
      RETURN NULL;
    END
  $$`
  yield* sql`CREATE TRIGGER payouts_listed AFTER UPDATE ON builder.payouts
    FOR EACH ROW WHEN (NEW.status = 'paid' AND OLD.status <> 'paid') EXECUTE FUNCTION builder.list_payout()`

  // The rows as they should be. It reads the whole ledger.
  yield* sql`CREATE VIEW builder.listed_accruals AS
    SELECT e.id, e.builder_id, coalesce(e.chain_id, a.chain_id, 0) AS chain_id, e.token,
      CASE WHEN r.id IS NOT NULL THEN 'reversed' WHEN e.tx_hash IS NOT NULL OR p.id IS NOT NULL THEN 'paid' ELSE 'owed' END
        AS status, e.created_at
    FROM builder.ledger_entries e
      LEFT JOIN builder.accrual_chains a ON a.sweep_id = e.sweep_id
      LEFT JOIN builder.ledger_entries r ON r.sweep_id = e.sweep_id AND r.kind = 'reversal'
      LEFT JOIN builder.payout_claims c ON c.entry_id = e.id AND NOT c.released
      LEFT JOIN builder.payouts p ON p.id = c.payout_id AND p.status = 'paid'
    WHERE e.kind = 'accrual' AND NOT EXISTS (SELECT FROM builder.unlisted_payouts u WHERE u.payout_id = c.payout_id)`
  yield* sql`INSERT INTO builder.earnings SELECT * FROM builder.listed_accruals`
  yield* sql`CREATE VIEW builder.listed_differences AS
    SELECT concat_ws(' ', builder_id, status, chain_id, token) AS key, sum(kept) AS kept, sum(counted) AS counted
    FROM (
      SELECT builder_id, status, chain_id, token, 1 AS kept, 0 AS counted FROM builder.earnings e
        WHERE NOT EXISTS (
          SELECT FROM builder.payout_claims c JOIN builder.unlisted_payouts u ON u.payout_id = c.payout_id
          WHERE c.entry_id = e.id AND NOT c.released)
      UNION ALL SELECT builder_id, status, chain_id, token, 0, 1 FROM builder.listed_accruals
    ) AS e GROUP BY builder_id, status, chain_id, token HAVING sum(kept) <> sum(counted)`

  yield* sql`ALTER TABLE builder.earnings ADD PRIMARY KEY (id)`
  yield* sql`CREATE INDEX earnings_newest ON builder.earnings (builder_id, created_at, id)`
  yield* sql`CREATE INDEX earnings_of_status ON builder.earnings (builder_id, status, created_at, id)`
  yield* sql`CREATE INDEX earnings_of_token ON builder.earnings (builder_id, chain_id, token, status, created_at, id)`
  // Balances are kept sums, so nothing reads it.
  yield* sql`DROP INDEX builder.ledger_entries_totals`
})

const sweeps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE UNIQUE INDEX sweeps_position ON builder.sweeps (position)`
  yield* sql`CREATE INDEX sweeps_started_newest ON builder.sweeps (builder_id, started_at, position)`
  yield* sql`CREATE INDEX sweeps_of_status ON builder.sweeps (builder_id, status, started_at, position)`
  yield* sql`CREATE INDEX sweeps_sent
    ON builder.sweeps (builder_id, source_chain_id, token_in, status, started_at, position)`
  yield* sql`CREATE INDEX sweeps_received
    ON builder.sweeps (builder_id, dest_chain_id, token_out, status, started_at, position)`
  yield* sql`CREATE INDEX sweeps_of_owner ON builder.sweeps (builder_id, owner, started_at, position)`
  yield* sql`CREATE INDEX sweeps_of_transaction ON builder.sweeps USING hash (tx_hash)`
  yield* sql`CREATE INDEX sweeps_of_delivery ON builder.sweeps USING hash (delivery_tx_hash)
    WHERE delivery_tx_hash <> tx_hash`
  yield* sql`DROP INDEX builder.sweeps_newest`
  yield* sql`DROP INDEX builder.sweeps_newest_of_status`
  yield* sql`DROP INDEX builder.sweeps_started`
})

const deliveries = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE INDEX webhook_deliveries_created ON builder.webhook_deliveries (endpoint_id, created_at, id)`
  yield* sql`CREATE INDEX webhook_deliveries_of_type
    ON builder.webhook_deliveries (endpoint_id, state, type, created_at, id)`
  yield* sql`DROP INDEX builder.webhook_deliveries_newest`
  yield* sql`DROP INDEX builder.webhook_deliveries_failed`
})

// The triggers lock their tables against writes until the migration commits, so every accrual is listed once.
export default Effect.gen(function* () {
  yield* earnings
  yield* sweeps
  yield* deliveries
})
