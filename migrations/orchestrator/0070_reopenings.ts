/**
 * When a final transaction lost its block, and the version that the block had: that one is sent again first, and its fees are raised as if
 * it had been signed then. Both are null in rows that the release before reopens.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE orchestrator.relay_transactions
    ADD COLUMN reopened_at timestamptz, ADD COLUMN reopened_hash orchestrator.hash`
})
