/**
 * Next time at which the watcher asks the bridge about a settled intent. Intents that cannot be filled are asked about ever less
 * often, so they do not delay the others.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Constant defaults do not rewrite the table, and the release before inserts rows without these columns.
  yield* sql`ALTER TABLE orchestrator.intents
    ADD COLUMN delivery_look_at timestamptz NOT NULL DEFAULT 'epoch',
    ADD COLUMN delivery_looks integer NOT NULL DEFAULT 0 CHECK (delivery_looks >= 0)`
  yield* sql`CREATE INDEX intents_delivery_due ON orchestrator.intents (source_chain_id, delivery_look_at, id)
    WHERE status = 'settled_source'`
})
