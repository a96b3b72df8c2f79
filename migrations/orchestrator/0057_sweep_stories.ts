/**
 * Look-ups of operators: the transactions that carried an intent once, and the intents that a transaction delivered. The release
 * before needs neither. The trigger keeps the table while it runs.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // An index of the links that are in force exists. A link leaves it once, and enters this one.
  yield* sql`CREATE INDEX relay_transaction_intents_former
    ON orchestrator.relay_transaction_intents (intent_id) WHERE NOT active`

  // An index of the states would be written with every update of a sweep. This table has only deliveries in other transactions
  // than the settlement's, so those across chains.
  yield* sql`CREATE TABLE orchestrator.intent_delivery_transactions (
    tx_hash orchestrator.word NOT NULL,
    intent_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (tx_hash, intent_id)
  )`
  yield* sql`INSERT INTO orchestrator.intent_delivery_transactions (tx_hash, intent_id)
    SELECT delivery_tx_hash, id FROM orchestrator.intent_states
    WHERE delivery_tx_hash IS NOT NULL AND delivery_tx_hash <> tx_hash`
  yield* sql`CREATE FUNCTION orchestrator.delivery_noted() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO orchestrator.intent_delivery_transactions (tx_hash, intent_id)
        VALUES (NEW.delivery_tx_hash, NEW.id) ON CONFLICT DO NOTHING;
      RETURN NULL;
    END
  $$`
  yield* sql`CREATE TRIGGER intent_states_delivered AFTER UPDATE ON orchestrator.intent_states
    FOR EACH ROW WHEN (
      NEW.delivery_tx_hash IS DISTINCT FROM OLD.delivery_tx_hash AND NEW.delivery_tx_hash <> NEW.tx_hash
    ) EXECUTE FUNCTION orchestrator.delivery_noted()`
})
