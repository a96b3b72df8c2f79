/** Separates events for builders from bookings, so that a backlog of one does not delay the other. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE orchestrator.outbox ADD COLUMN topic text NOT NULL
    GENERATED ALWAYS AS (CASE message ->> '_tag' WHEN 'SweepEvent' THEN 'events' ELSE 'ledger' END) STORED`
  yield* sql`CREATE INDEX outbox_due_of_topic ON orchestrator.outbox (topic, due_at, id) WHERE state = 'pending'`
  yield* sql`DROP INDEX orchestrator.outbox_due`
})
