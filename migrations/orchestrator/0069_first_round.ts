/**
 * The time from which the first round of sales is due. A due round waits an hour for a chain that does not answer, and before the first
 * one there was nothing to count the hour from.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE orchestrator.treasury_first_round (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    due_at timestamptz NOT NULL
  )`
})
