/** Stores the header `Sweep-Reason` of a response to a keyed request. Null in rows of the release before, which does not write it. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE orchestrator.idempotency_keys ADD COLUMN sweep_reason text COLLATE "C"`
})
