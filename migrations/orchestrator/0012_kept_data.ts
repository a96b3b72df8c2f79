/**
 * Retention, and numbers of intents that are kept instead of counted.
 *
 * Each change of a status adds a row to `intent_count_changes`, in the transaction of the change, and `intent_counts` sums
 * them up from time to time. A counter that every transaction updates would serialize them. Triggers do it, so that the
 * release before, and repairs by hand, are counted as well.
 *
 * The foreign keys to intents are dropped: they cost a look-up and a lock for every event, message and link, whose
 * statements take the ids from the intents that they lock, and they would make the deletion of a quote read these tables.
 * Instead, only quotes can be deleted.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE orchestrator.intent_events DROP CONSTRAINT intent_events_intent_id_fkey`
  yield* sql`ALTER TABLE orchestrator.outbox DROP CONSTRAINT outbox_intent_id_fkey`
  yield* sql`ALTER TABLE orchestrator.relay_transaction_intents DROP CONSTRAINT relay_transaction_intents_intent_id_fkey`
  yield* sql`CREATE FUNCTION orchestrator.refuse_intent_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'intent % is %: only quotes can be deleted', OLD.id, OLD.status;
    END
  $$`
  yield* sql`CREATE TRIGGER intents_kept BEFORE DELETE ON orchestrator.intents
    FOR EACH ROW WHEN (OLD.status <> 'quoted') EXECUTE FUNCTION orchestrator.refuse_intent_deletion()`

  yield* sql`CREATE TABLE orchestrator.intent_counts (
    status text PRIMARY KEY,
    intents bigint NOT NULL
  )`
  yield* sql`CREATE TABLE orchestrator.intent_count_changes (
    status_before text,
    status_after text
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`
  yield* sql`CREATE FUNCTION orchestrator.count_intent() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO orchestrator.intent_count_changes VALUES (
        CASE WHEN TG_OP <> 'INSERT' THEN OLD.status END, CASE WHEN TG_OP <> 'DELETE' THEN NEW.status END);
      RETURN NULL;
    END
  $$`
  yield* sql`CREATE TRIGGER intents_counted AFTER INSERT OR DELETE ON orchestrator.intents
    FOR EACH ROW EXECUTE FUNCTION orchestrator.count_intent()`
  yield* sql`CREATE TRIGGER intents_recounted AFTER UPDATE OF status ON orchestrator.intents
    FOR EACH ROW WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION orchestrator.count_intent()`
  yield* sql`CREATE VIEW orchestrator.intent_count_sums AS
    SELECT status, sum(intents)::bigint AS intents FROM (
      SELECT status, intents FROM orchestrator.intent_counts
      UNION ALL
      SELECT status_after, 1 FROM orchestrator.intent_count_changes WHERE status_after IS NOT NULL
      UNION ALL
      SELECT status_before, -1 FROM orchestrator.intent_count_changes WHERE status_before IS NOT NULL
    ) AS parts GROUP BY status`
  // For operators: empty when the kept numbers are right. It reads the whole table.
  yield* sql`CREATE VIEW orchestrator.intent_count_differences AS
    SELECT status, coalesce(k.intents, 0) AS kept, coalesce(c.intents, 0) AS counted
    FROM orchestrator.intent_count_sums k
    FULL JOIN (SELECT status, count(*) AS intents FROM orchestrator.intents GROUP BY status) c USING (status)
    WHERE coalesce(k.intents, 0) <> coalesce(c.intents, 0)`
  // The triggers lock the table against writes until the migration commits, so this number is exact.
  yield* sql`INSERT INTO orchestrator.intent_counts (status, intents)
    SELECT status, count(*) FROM orchestrator.intents GROUP BY status`
  yield* sql`DROP INDEX orchestrator.intents_status`

  // Old rows, for retention. Events and attempts are found by their keys, which grow with time.
  yield* sql`CREATE INDEX intents_quotes ON orchestrator.intents (created_at) WHERE status = 'quoted'`
  yield* sql`CREATE INDEX outbox_delivered ON orchestrator.outbox (closed_at) WHERE state = 'delivered'`
  yield* sql`CREATE INDEX alerts_cleared ON orchestrator.alerts (cleared_at) WHERE cleared_at IS NOT NULL`
  yield* sql`CREATE OR REPLACE FUNCTION orchestrator.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'DELETE' AND current_setting('token_sweep.retention', true) = 'on' THEN
        RETURN NULL;
      END IF;
      RAISE EXCEPTION '%.% is append-only', TG_TABLE_SCHEMA, TG_TABLE_NAME;
    END
  $$`
})
