/**
 * Values that an operator chose in place of settings, such as rate limits. The release before does not read the table: while one of its
 * replicas runs, that replica ignores them.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A setting without a row has its configured value.
  yield* sql`CREATE TABLE builder.operator_overrides (
    name text PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 200),
    value text NOT NULL CHECK (length(value) <= 20000),
    actor text NOT NULL,
    reason text NOT NULL,
    since timestamptz NOT NULL
  )`
})
