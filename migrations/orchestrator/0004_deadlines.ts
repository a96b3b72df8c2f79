/**
 * The deadline as a column. Every pass of the watcher asks for overdue intents and for the deadlines of transactions,
 * without reading the orders.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE orchestrator.intents
    ADD COLUMN deadline orchestrator.uint256 NOT NULL GENERATED ALWAYS AS (("order" ->> 'deadline')::numeric) STORED`
  yield* sql`CREATE INDEX intents_overdue ON orchestrator.intents (source_chain_id, deadline) WHERE queued`
})
