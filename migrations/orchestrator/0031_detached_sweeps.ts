/**
 * Takes a sweep out of the service with the month of its last intents. Quotes of two months can be signed together, so a sweep stays as
 * long as one of its intents does. Its row goes to a table of the month, because the signature of the batch is stored nowhere else.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // As before, and moves the sweeps. They are moved first: detaching locks the tables of all intents until the end.
  yield* sql`CREATE OR REPLACE FUNCTION orchestrator.detach_intent_month(month date) RETURNS text[] LANGUAGE plpgsql AS $$
    DECLARE
      start timestamp := date_trunc('month', month::timestamp);
      low bigint := orchestrator.first_number(start AT TIME ZONE 'UTC');
      high bigint := orchestrator.first_number((start + interval '1 month') AT TIME ZONE 'UTC');
      open text;
      part text;
      parent text;
      detached text[] := '{}';
    BEGIN
      SELECT s.id INTO open FROM orchestrator.intent_states s
      WHERE s.number >= low AND s.number < high AND s.id IN (
        SELECT intent_id FROM orchestrator.open_quotes WHERE number >= low AND number < high
        UNION ALL SELECT intent_id FROM orchestrator.intent_queue
        UNION ALL SELECT intent_id FROM orchestrator.intent_deliveries WHERE NOT delivered
        UNION ALL SELECT intent_id FROM orchestrator.relay_transaction_intents WHERE active
      ) LIMIT 1;
      IF open IS NOT NULL THEN
        RAISE EXCEPTION 'intent % of this month has not ended', open;
      END IF;
      SELECT o.intent_id INTO open FROM orchestrator.outbox o JOIN orchestrator.intent_states s ON s.id = o.intent_id
      WHERE o.state IN ('pending', 'rejected') AND o.message IS NULL AND s.number >= low AND s.number < high LIMIT 1;
      IF open IS NOT NULL THEN
        RAISE EXCEPTION 'an event of intent % of this month is not delivered', open;
      END IF;

      part := 'sweeps' || to_char(start, '_YYYY_MM');
      EXECUTE format('CREATE TABLE IF NOT EXISTS orchestrator.%I (LIKE orchestrator.sweeps)', part);
      EXECUTE format('WITH moved AS (
          DELETE FROM orchestrator.sweeps w
          WHERE w.id IN (
              SELECT g.sweep_id FROM orchestrator.intent_signatures g
              WHERE g.number >= $1 AND g.number < $2 AND g.sweep_id IS NOT NULL
            )
            AND NOT EXISTS (
              SELECT FROM orchestrator.intent_states s JOIN orchestrator.intent_terms t ON t.number = s.number
              WHERE s.id = ANY(w.intent_ids) AND (s.number < $1 OR s.number >= $2)
            )
          RETURNING w.*
        ) INSERT INTO orchestrator.%I SELECT * FROM moved', part) USING low, high;
      detached := detached || ('orchestrator.' || part);

      FOREACH parent IN ARRAY ARRAY['intent_terms', 'intent_signatures', 'intent_history'] LOOP
        part := parent || to_char(start, '_YYYY_MM');
        IF parent <> 'intent_history' OR to_regclass('orchestrator.' || part) IS NOT NULL THEN
          EXECUTE format('ALTER TABLE orchestrator.%I DETACH PARTITION orchestrator.%I', parent, part);
          detached := detached || ('orchestrator.' || part);
        END IF;
      END LOOP;
      RETURN detached;
    END
  $$`
})
