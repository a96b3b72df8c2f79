/**
 * Leases of messages as a column without an index: a claim, which every message has, is then updated in place and writes no index
 * entries. The release before leases a message by its due time, so both releases can claim one message at once. Deliveries are
 * idempotent.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE orchestrator.outbox ADD COLUMN leased_until timestamptz`
  // Room in the page of a message for its claim and its acknowledgement.
  yield* sql`ALTER TABLE orchestrator.outbox SET (fillfactor = 50)`
})
