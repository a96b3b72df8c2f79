/**
 * Stores the cost that a quote's network fee covers, and the cause for which a queued intent waits. Both are null in rows of the
 * release before, which writes neither.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE orchestrator.intent_terms
    ADD COLUMN cover_gas bigint, ADD COLUMN cover_gas_price orchestrator.uint256, ADD COLUMN cover_value orchestrator.uint256`
  yield* sql`ALTER TABLE orchestrator.intent_queue ADD COLUMN waiting_for text COLLATE "C"`
})
