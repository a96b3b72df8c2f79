/**
 * Sweeps: many intents under one signature. The signatures and the hashes of the legs are stored once. A leg has an empty signature of
 * its own and no authorization, which the release before cannot read: it sets the leg aside, and this release frees it.
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
    authorizations jsonb NOT NULL,
    leg_hashes bytea NOT NULL,
    intent_ids text[] COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    CHECK (length(leg_hashes) = 32 * cardinality(intent_ids))
  )`
  yield* sql`CREATE UNIQUE INDEX sweeps_owner ON orchestrator.sweeps (owner, number)`
  yield* sql`ALTER TABLE orchestrator.intent_signatures
    ADD COLUMN sweep_id text COLLATE "C", ADD COLUMN leg smallint`
})
