/**
 * Part of a sweep's gas limit that its chain takes for data before anything runs. Null where the chain takes none, and in quotes of the
 * release before.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE orchestrator.intent_terms ADD COLUMN data_gas bigint`
})
