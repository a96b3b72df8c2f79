/**
 * Room for the encrypted RPC endpoints of a chain among the operator's choices. The release before reads the rows and leaves names out
 * that it does not know.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE orchestrator.operator_overrides
    DROP CONSTRAINT operator_overrides_value_check,
    ADD CONSTRAINT operator_overrides_value_check CHECK (length(value) <= 20000)`
})
