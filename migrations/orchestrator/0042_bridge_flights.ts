/**
 * Value that bridges carry on the word of their services. The release before neither writes nor reads the table, so that sweeps of its
 * time do not count.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE orchestrator.bridge_flights (
    intent_id text COLLATE "C" PRIMARY KEY,
    bridge text NOT NULL,
    value numeric(60, 0) NOT NULL CHECK (value >= 0),
    reserved_at timestamptz NOT NULL
  )`
})
