/**
 * Sweeps: many intents under one signature. The signature and the hashes of the legs are stored once. A leg has no signature of its own,
 * so the release before, which knows only signatures of single orders, does not send it.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE orchestrator.sweeps (
    number bigint GENERATED ALWAYS AS IDENTITY,
    id text COLLATE "C" PRIMARY KEY,
    owner orchestrator.address NOT NULL,
    signature bytea NOT NULL,
    leg_hashes bytea NOT NULL,
    intent_ids text[] COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    CHECK (length(leg_hashes) = 32 * cardinality(intent_ids))
  )`
  yield* sql`CREATE UNIQUE INDEX sweeps_owner ON orchestrator.sweeps (owner, number)`
  yield* sql`ALTER TABLE orchestrator.intent_signatures
    ADD COLUMN sweep_id text COLLATE "C", ADD COLUMN leg smallint`
})
