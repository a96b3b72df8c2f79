/** The row that health checks write. A database that only reads would otherwise pass as healthy. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // At most one row, which all replicas update.
  yield* sql`CREATE TABLE builder.health_probe (
    id boolean PRIMARY KEY CHECK (id),
    probed_at timestamptz NOT NULL
  ) WITH (fillfactor = 50)`
})
