/** An index for pages of a builder's entries, of every kind. It replaces that for pages of accruals, which are nearly all. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE INDEX ledger_entries_pages ON builder.ledger_entries (builder_id, id)`
  yield* sql`DROP INDEX builder.ledger_entries_activity`
})
