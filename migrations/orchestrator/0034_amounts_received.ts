/**
 * Stores the amount that a sweep delivered. Null until it is known, and in rows that the release before moves. A column of a domain
 * with checks would rewrite the table.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE orchestrator.intent_states ADD COLUMN amount_out numeric(78, 0)`
})
