/** The lanes as a restore found them, and their transactions that the restored database did not have. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The first nonce of each lane that the database may have forgotten. The services raise `lanes.next_nonce` when they start.
  yield* sql`CREATE TABLE orchestrator.restored_lanes (
    restored_to timestamptz NOT NULL,
    chain_id bigint NOT NULL,
    lane orchestrator.address NOT NULL,
    next_nonce bigint NOT NULL CHECK (next_nonce >= 0),
    PRIMARY KEY (restored_to, chain_id, lane)
  )`

  // A row is added with its cost in `relay_spending`, so that a cost is booked once.
  yield* sql`CREATE TABLE orchestrator.lost_transactions (
    hash orchestrator.hash PRIMARY KEY,
    chain_id bigint NOT NULL,
    lane orchestrator.address NOT NULL,
    nonce bigint NOT NULL CHECK (nonce >= 0),
    wei orchestrator.uint256 NOT NULL,
    mined_at timestamptz NOT NULL,
    booked_at timestamptz NOT NULL
  )`
})
