/**
 * Owners with a settled sweep on a chain. An owner's rows in `intent_states` are mostly quotes, which anybody can ask for, and an index of
 * the settled ones would have a column that changes while a sweep succeeds. So a table has them, and a trigger adds each owner once.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE orchestrator.settled_owners (
    chain_id bigint NOT NULL,
    owner orchestrator.address NOT NULL,
    PRIMARY KEY (chain_id, owner)
  )`
  yield* sql`CREATE FUNCTION orchestrator.note_settled_owners() RETURNS trigger LANGUAGE plpgsql SET jit = off AS $$
    BEGIN
      INSERT INTO orchestrator.settled_owners (chain_id, owner)
        SELECT DISTINCT c.source_chain_id, c.owner FROM changed c
        WHERE orchestrator.has_settled(c.status, c.failure_reason)
        ORDER BY 1, 2
        ON CONFLICT (chain_id, owner) DO NOTHING;
      RETURN NULL;
    END
  $$`
  yield* sql`CREATE TRIGGER intent_states_settled_owners AFTER UPDATE ON orchestrator.intent_states
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION orchestrator.note_settled_owners()`
  // The trigger locks the states against writes until the migration commits, so no owner is missed.
  yield* sql`INSERT INTO orchestrator.settled_owners (chain_id, owner)
    SELECT DISTINCT source_chain_id, owner FROM orchestrator.intent_states
    WHERE orchestrator.has_settled(status, failure_reason)`
})
