/** Failed deliveries of an endpoint, for their list and for queueing them again. The release before ignores the index. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE INDEX webhook_deliveries_failed ON builder.webhook_deliveries (endpoint_id, id)
    WHERE state = 'failed'`
})
