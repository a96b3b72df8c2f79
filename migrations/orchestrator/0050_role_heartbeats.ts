/**
 * Signs of life of processes that run a part of the service. The release before writes none and runs every part, so its processes are
 * not counted while both releases run.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Written every few seconds by each process: room on the page keeps these updates out of the index.
  yield* sql`CREATE TABLE orchestrator.role_heartbeats (
    post text PRIMARY KEY CHECK (length(post) BETWEEN 1 AND 100),
    beaten_at timestamptz NOT NULL
  ) WITH (fillfactor = 50)`
})
