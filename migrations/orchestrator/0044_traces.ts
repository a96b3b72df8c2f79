/**
 * Stores the position in its trace of the request that quoted a sweep: the 16 bytes of the trace's id, then the 8 of the span's. Null
 * for traces that are not recorded, and in rows of the release before.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE orchestrator.intent_states ADD COLUMN trace bytea`
  // The oldest delivery that is awaited, for the metrics.
  yield* sql`CREATE INDEX intent_deliveries_oldest ON orchestrator.intent_deliveries (since) WHERE NOT delivered`
})
