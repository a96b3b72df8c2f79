/**
 * Lets old months go. The history of a month was searched from end to end for its youngest event, which takes longer than a statement may
 * once a month has millions of events. Now an index of each old month is asked, and a month without one is left for later.
 *
 * Retention builds that index before it drops months (`adapters/sql/orchestrator/Months.ts`), without a lock and only for months that
 * are over: a migration would lock all of them until it ends. The release before drops the months that have an index.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The history of months that are over before a time. `is_indexed` is null without an index on the times, and false if its building
  // was interrupted.
  yield* sql`CREATE FUNCTION orchestrator.old_history_months(before timestamptz)
    RETURNS TABLE (part text, is_indexed boolean) LANGUAGE sql STABLE AS $$
      SELECT c.relname::text, x.indisvalid
      FROM pg_inherits h
      JOIN pg_class c ON c.oid = h.inhrelid
      LEFT JOIN (pg_index x JOIN pg_class i ON i.oid = x.indexrelid)
        ON x.indrelid = c.oid AND i.relname = c.relname || '_at'
      WHERE h.inhparent = 'orchestrator.intent_history'::regclass AND c.relname ~ '_[0-9]{4}_[0-9]{2}$'
        AND (to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') AT TIME ZONE 'UTC' <= before
      ORDER BY c.relname
    $$`

  yield* sql`CREATE OR REPLACE FUNCTION orchestrator.drop_history_months(before timestamptz) RETURNS text[]
    LANGUAGE plpgsql SET enable_seqscan = off AS $$
    DECLARE
      month text;
      young boolean;
      dropped text[] := '{}';
    BEGIN
      FOR month IN SELECT o.part FROM orchestrator.old_history_months(before) o WHERE o.is_indexed LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM orchestrator.%I WHERE at >= $1)', month) INTO young USING before;
        IF NOT young THEN
          EXECUTE format('DROP TABLE orchestrator.%I', month);
          dropped := dropped || month;
        END IF;
      END LOOP;
      RETURN dropped;
    END
  $$`

  // As before, except that an event that was rejected does not hold the month: it is never sent again, so it would hold it for ever.
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
      WHERE o.state = 'pending' AND o.message IS NULL AND s.number >= low AND s.number < high LIMIT 1;
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
