/** Triggers and counts of migration 16. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

/** Keeps the waiting intents and the counts. */
export const triggers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The queues are small or empty when these plans are made, and large when they are needed. The settings make the plans look
  // rows up by their keys in any case.
  const byKeys = sql.literal(
    "LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off"
  )
  yield* sql`CREATE FUNCTION orchestrator.intents_added() RETURNS trigger ${byKeys} AS $$
    BEGIN
      INSERT INTO orchestrator.intent_count_parts SELECT status, count(*) FROM added GROUP BY status;
      INSERT INTO orchestrator.open_quotes (number, intent_id, created_at)
        SELECT number, id, created_at FROM added WHERE status = 'quoted';
      RETURN NULL;
    END
  $$`
  yield* sql`CREATE FUNCTION orchestrator.intents_changed() RETURNS trigger ${byKeys} AS $$
    BEGIN
      INSERT INTO orchestrator.intent_count_parts
        SELECT status, sum(change) FROM (
          SELECT status, 1 AS change FROM changed UNION ALL SELECT status, -1 FROM former
        ) AS parts GROUP BY status HAVING sum(change) <> 0;
      DELETE FROM orchestrator.open_quotes q USING changed c WHERE q.number = c.number AND c.status <> 'quoted';
      DELETE FROM orchestrator.intent_queue q USING changed c
        WHERE q.intent_id = c.id AND (c.status <> 'submitted' OR c.relay_transaction_id IS NOT NULL);
      INSERT INTO orchestrator.intent_queue (intent_id, source_chain_id, account, submitted_at, deadline, not_before)
        SELECT c.id, c.source_chain_id, c.source_chain_id || ':' || c.owner, c.submitted_at, c.deadline,
          (SELECT g.not_before FROM orchestrator.given_up_intents g WHERE g.intent_id = c.id)
        FROM changed c WHERE c.status = 'submitted' AND c.relay_transaction_id IS NULL
        ON CONFLICT (intent_id) DO NOTHING;
      DELETE FROM orchestrator.intent_deliveries d USING changed c
        WHERE d.intent_id = c.id AND c.status <> 'settled_source'
          AND (c.status <> 'delivered' OR c.delivery_tx_hash IS NOT NULL);
      INSERT INTO orchestrator.intent_deliveries AS d (
        intent_id, source_chain_id, dest_chain_id, delivered, since, look_at
      )
        SELECT c.id, c.source_chain_id, c.dest_chain_id, c.status = 'delivered', c.updated_at, c.updated_at FROM changed c
        WHERE c.status = 'settled_source' OR c.status = 'delivered' AND c.delivery_tx_hash IS NULL
        ON CONFLICT (intent_id) DO UPDATE SET delivered = excluded.delivered, since = excluded.since
        WHERE d.delivered <> excluded.delivered;
      RETURN NULL;
    END
  $$`
  yield* sql`CREATE FUNCTION orchestrator.intents_removed() RETURNS trigger ${byKeys} AS $$
    BEGIN
      INSERT INTO orchestrator.intent_count_parts SELECT status, -count(*) FROM removed GROUP BY status;
      DELETE FROM orchestrator.open_quotes q USING removed r WHERE q.number = r.number;
      DELETE FROM orchestrator.intent_terms t USING removed r WHERE t.number = r.number;
      RETURN NULL;
    END
  $$`
  yield* sql`CREATE TRIGGER intent_states_added AFTER INSERT ON orchestrator.intent_states
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION orchestrator.intents_added()`
  yield* sql`CREATE TRIGGER intent_states_changed AFTER UPDATE ON orchestrator.intent_states
    REFERENCING OLD TABLE AS former NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION orchestrator.intents_changed()`
  yield* sql`CREATE TRIGGER intent_states_removed AFTER DELETE ON orchestrator.intent_states
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION orchestrator.intents_removed()`
  yield* sql`CREATE TRIGGER intent_states_kept BEFORE DELETE ON orchestrator.intent_states
    FOR EACH ROW WHEN (OLD.status <> 'quoted') EXECUTE FUNCTION orchestrator.refuse_intent_deletion()`
  yield* sql`CREATE TRIGGER intent_history_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON orchestrator.intent_history
    FOR EACH STATEMENT EXECUTE FUNCTION orchestrator.refuse_change()`
})

/** Counts by status continue from those of the tables before. */
export const counts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`DROP VIEW orchestrator.intent_count_sums`
  yield* sql`DROP TABLE orchestrator.intent_count_changes`
  yield* sql`DROP FUNCTION orchestrator.count_intent()`
  yield* sql`DELETE FROM orchestrator.intent_counts`
  yield* sql`INSERT INTO orchestrator.intent_counts (status, intents)
    SELECT status, count(*) FROM orchestrator.intent_states GROUP BY status`
  yield* sql`CREATE VIEW orchestrator.intent_count_sums AS
    SELECT status, sum(intents)::bigint AS intents FROM (
      SELECT status, intents FROM orchestrator.intent_counts
      UNION ALL
      SELECT status, intents FROM orchestrator.intent_count_parts
    ) AS parts GROUP BY status`
  // For operators: empty when the kept numbers are right. It reads the whole table.
  yield* sql`CREATE VIEW orchestrator.intent_count_differences AS
    SELECT status, coalesce(k.intents, 0) AS kept, coalesce(c.intents, 0) AS counted
    FROM orchestrator.intent_count_sums k
    FULL JOIN (SELECT status, count(*) AS intents FROM orchestrator.intent_states GROUP BY status) c USING (status)
    WHERE coalesce(k.intents, 0) <> coalesce(c.intents, 0)`
})
