/**
 * Submissions that hold the reservation of a sweep. The release before names none. As no submission holds its rows, none joins or ends them:
 * the relayer replaces them, or they expire.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE orchestrator.exposures ADD COLUMN holders text[] NOT NULL DEFAULT '{}'`
})
