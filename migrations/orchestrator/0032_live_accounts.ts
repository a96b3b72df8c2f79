/**
 * One transaction under way for each account. It may carry several intents of the account: the legs of a sweep. So far, a unique index
 * of the links allowed one intent. The primary key has its name, by which every release recognises that another transaction was
 * faster. Triggers on the links keep the table, so that the release before keeps the rule as well.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // First, since it locks the links against writers until the end.
  yield* sql`DROP INDEX orchestrator.relay_transaction_intents_one_per_account`
  yield* sql`CREATE INDEX relay_transaction_intents_live ON orchestrator.relay_transaction_intents (account) WHERE active`
  yield* sql`CREATE TABLE orchestrator.live_accounts (
    account text COLLATE "C" CONSTRAINT relay_transaction_intents_one_per_account PRIMARY KEY,
    transaction_id bigint NOT NULL
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`
  yield* sql`INSERT INTO orchestrator.live_accounts (account, transaction_id)
    SELECT account, transaction_id FROM orchestrator.relay_transaction_intents WHERE active`

  const byKeys = sql.literal(
    "LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off"
  )
  // A transaction's links are inserted by one statement.
  yield* sql`CREATE FUNCTION orchestrator.accounts_taken() RETURNS trigger ${byKeys} AS $$
    BEGIN
      INSERT INTO orchestrator.live_accounts (account, transaction_id)
        SELECT DISTINCT account, transaction_id FROM added WHERE active ORDER BY account;
      RETURN NULL;
    END
  $$`
  // Of two statements that end the last links of an account, the second one waits for the first one here, and then sees its links.
  yield* sql`CREATE FUNCTION orchestrator.accounts_freed() RETURNS trigger ${byKeys} AS $$
    BEGIN
      PERFORM FROM orchestrator.live_accounts a
        WHERE a.account = ANY(ARRAY(SELECT account FROM changed WHERE NOT active)) ORDER BY a.account FOR UPDATE;
      DELETE FROM orchestrator.live_accounts a
        USING (SELECT DISTINCT account, transaction_id FROM changed WHERE NOT active) c
        WHERE a.account = c.account AND a.transaction_id = c.transaction_id AND NOT EXISTS (
          SELECT FROM orchestrator.relay_transaction_intents l
          WHERE l.account = c.account AND l.active AND l.transaction_id = c.transaction_id
        );
      RETURN NULL;
    END
  $$`
  yield* sql`CREATE TRIGGER relay_transaction_intents_added AFTER INSERT ON orchestrator.relay_transaction_intents
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION orchestrator.accounts_taken()`
  yield* sql`CREATE TRIGGER relay_transaction_intents_changed AFTER UPDATE ON orchestrator.relay_transaction_intents
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION orchestrator.accounts_freed()`
})
