/**
 * Retention by whole months. The history of a month is dropped with its partition, which costs nothing for each row and leaves no
 * room to vacuum. Its rows belong to the month in which their intents were created, so a late event keeps its month.
 *
 * The release before still deletes the history row by row, which changes nothing for this one.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE FUNCTION orchestrator.drop_history_months(before timestamptz) RETURNS text[] LANGUAGE plpgsql AS $$
    DECLARE
      part text;
      young boolean;
      dropped text[] := '{}';
    BEGIN
      FOR part IN
        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'orchestrator.intent_history'::regclass AND c.relname ~ '_[0-9]{4}_[0-9]{2}$'
          AND (to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') AT TIME ZONE 'UTC' <= before
        ORDER BY c.relname
      LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM orchestrator.%I WHERE at >= $1)', part) INTO young USING before;
        IF NOT young THEN
          EXECUTE format('DROP TABLE orchestrator.%I', part);
          dropped := dropped || part;
        END IF;
      END LOOP;
      RETURN dropped;
    END
  $$`

  // As before, except that the history of the month may be gone, and that a message may still need the terms.
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

  // Delivered intents whose transaction was looked for in vain, for retention. Looks are never negative: the condition keeps other
  // statements, which do not have it, to their own index.
  yield* sql`CREATE INDEX intent_deliveries_delivered ON orchestrator.intent_deliveries (since)
    WHERE delivered AND looks >= 0`
})
