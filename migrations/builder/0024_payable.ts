/**
 * Entries that a payout can claim: owed, on a known chain, and in no standing claim. A paid entry keeps what it earned and paid, so only
 * its claim says that it is paid, and a search for entries without a claim would read the whole ledger.
 *
 * Triggers add and remove rows in the transaction that changes them, so that the release before and repairs by hand are counted. That
 * release searches by `ledger_entries_owing`, which stays for it.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

/** Settings of functions that look up rows by key, whatever the planner knows of transition tables. */
const BY_KEYS =
  "LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off"

const table = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Entries never change, so amounts and values are copied.
  yield* sql`CREATE TABLE builder.payable (
    entry_id bigint PRIMARY KEY,
    token builder.address NOT NULL,
    chain_id bigint NOT NULL,
    builder_id text COLLATE "C" NOT NULL,
    amount numeric NOT NULL CHECK (amount <> 0),
    usd numeric
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`
  // A builder's reversals come first, so that a part of its entries never sums to more than all of them.
  yield* sql`CREATE INDEX payable_in_order ON builder.payable (chain_id, token, builder_id, (amount > 0), entry_id)`
  // Sums of all builders in a token on a chain.
  yield* sql`CREATE INDEX ledger_sums_of_token ON builder.ledger_sums (token, chain_id)`

  // The rows as they should be. It reads the whole ledger.
  yield* sql`CREATE VIEW builder.payable_entries AS
    SELECT e.id AS entry_id, e.token, e.chain_id, e.builder_id, e.earned - e.paid AS amount, e.usd FROM builder.ledger e
    WHERE e.kind <> 'payment' AND e.earned <> e.paid AND e.chain_id IS NOT NULL
      AND NOT EXISTS (SELECT FROM builder.payout_claims c WHERE c.entry_id = e.id AND NOT c.released)`
  yield* sql`INSERT INTO builder.payable SELECT * FROM builder.payable_entries`
  yield* sql`CREATE VIEW builder.payable_differences AS
    SELECT coalesce(p.entry_id, e.entry_id)::text AS key, coalesce(p.amount, 0) AS kept, coalesce(e.amount, 0) AS counted
    FROM builder.payable p FULL JOIN builder.payable_entries e ON e.entry_id = p.entry_id
    WHERE (p.token, p.chain_id, p.builder_id, p.amount, p.usd)
      IS DISTINCT FROM (e.token, e.chain_id, e.builder_id, e.amount, e.usd)`
})

const triggers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The lock is that of the kept sums: an entry without a chain and its assignment see each other.
  yield* sql`CREATE FUNCTION builder.owe_entry() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      chain bigint := NEW.chain_id;
    BEGIN
      IF chain IS NULL THEN
        PERFORM pg_advisory_xact_lock(hashtextextended('token-sweep.chain.' || NEW.sweep_id, 0));
        chain := (SELECT chain_id FROM builder.accrual_chains WHERE sweep_id = NEW.sweep_id);
      END IF;
      IF chain IS NOT NULL THEN
        INSERT INTO builder.payable (entry_id, token, chain_id, builder_id, amount, usd)
          VALUES (NEW.id, NEW.token, chain, NEW.builder_id, NEW.earned - NEW.paid, NEW.usd);
      END IF;
      RETURN NULL;
    END
  $$`
  yield* sql`CREATE TRIGGER ledger_entries_payable AFTER INSERT ON builder.ledger_entries
    FOR EACH ROW WHEN (NEW.kind <> 'payment' AND NEW.earned <> NEW.paid) EXECUTE FUNCTION builder.owe_entry()`
  yield* sql`CREATE FUNCTION builder.owe_chain() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtextextended('token-sweep.chain.' || NEW.sweep_id, 0));
      INSERT INTO builder.payable (entry_id, token, chain_id, builder_id, amount, usd)
        SELECT e.id, e.token, NEW.chain_id, e.builder_id, e.earned - e.paid, e.usd FROM builder.ledger_entries e
        WHERE e.sweep_id = NEW.sweep_id AND e.chain_id IS NULL AND e.earned <> e.paid
          AND NOT EXISTS (SELECT FROM builder.payout_claims c WHERE c.entry_id = e.id AND NOT c.released)
        ON CONFLICT (entry_id) DO NOTHING;
      RETURN NULL;
    END
  $$`
  yield* sql`CREATE TRIGGER accrual_chains_payable AFTER INSERT ON builder.accrual_chains
    FOR EACH ROW EXECUTE FUNCTION builder.owe_chain()`
})

const claims = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const byKeys = sql.literal(BY_KEYS)

  yield* sql`CREATE FUNCTION builder.claim_entries() RETURNS trigger ${byKeys} AS $$
    BEGIN
      DELETE FROM builder.payable
        WHERE entry_id = ANY(ARRAY(SELECT c.entry_id FROM changed c WHERE NOT c.released));
      RETURN NULL;
    END
  $$`
  yield* sql`CREATE TRIGGER payout_claims_claimed AFTER INSERT ON builder.payout_claims
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION builder.claim_entries()`
  // A claimed entry has a chain, so no assignment runs beside a release.
  yield* sql`CREATE FUNCTION builder.owe_entries(ids bigint[]) RETURNS void ${byKeys} AS $$
    BEGIN
      INSERT INTO builder.payable (entry_id, token, chain_id, builder_id, amount, usd)
        SELECT e.id, e.token, coalesce(e.chain_id, a.chain_id), e.builder_id, e.earned - e.paid, e.usd
        FROM builder.ledger_entries e LEFT JOIN builder.accrual_chains a ON a.sweep_id = e.sweep_id
        WHERE e.id = ANY(ids) AND e.kind <> 'payment' AND e.earned <> e.paid
          AND coalesce(e.chain_id, a.chain_id) IS NOT NULL
        ON CONFLICT (entry_id) DO NOTHING;
    END
  $$`
  yield* sql`CREATE FUNCTION builder.change_claims() RETURNS trigger ${byKeys} AS $$
    BEGIN
      PERFORM builder.owe_entries(ARRAY(
        SELECT c.entry_id FROM changed c WHERE c.released AND (c.payout_id, c.entry_id) NOT IN (
          SELECT f.payout_id, f.entry_id FROM former f WHERE f.released)));
      DELETE FROM builder.payable
        WHERE entry_id = ANY(ARRAY(SELECT c.entry_id FROM changed c WHERE NOT c.released));
      RETURN NULL;
    END
  $$`
  yield* sql`CREATE TRIGGER payout_claims_changed AFTER UPDATE ON builder.payout_claims
    REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION builder.change_claims()`
  yield* sql`CREATE FUNCTION builder.remove_claims() RETURNS trigger ${byKeys} AS $$
    BEGIN
      PERFORM builder.owe_entries(ARRAY(SELECT f.entry_id FROM former f WHERE NOT f.released));
      RETURN NULL;
    END
  $$`
  yield* sql`CREATE TRIGGER payout_claims_removed AFTER DELETE ON builder.payout_claims
    REFERENCING OLD TABLE AS former FOR EACH STATEMENT EXECUTE FUNCTION builder.remove_claims()`
})

// The triggers lock their tables against writes until the migration commits, so every entry that is owed has a row.
export default Effect.gen(function* () {
  yield* triggers
  yield* claims
  yield* table
})
