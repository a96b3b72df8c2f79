/**
 * Reasons for which submitted intents are not sent any more. Such an intent fails with its reason once a confirmed block is after
 * its deadline. The table has no foreign key, so that intents can be archived without it.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE orchestrator.given_up_intents (
    intent_id text COLLATE "C" PRIMARY KEY,
    account text COLLATE "C" NOT NULL,
    builder_id text,
    reason text NOT NULL,
    detail text NOT NULL,
    burned boolean NOT NULL,
    at timestamptz NOT NULL,
    not_before timestamptz NOT NULL
  )`
  yield* sql`CREATE INDEX given_up_intents_account ON orchestrator.given_up_intents (account, at) WHERE burned`
  yield* sql`CREATE INDEX given_up_intents_builder ON orchestrator.given_up_intents (builder_id, at) WHERE burned`
  yield* sql`CREATE INDEX given_up_intents_age ON orchestrator.given_up_intents (not_before)`
})
