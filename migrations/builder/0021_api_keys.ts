/**
 * Named keys beside the default one, nonces that are kept for a sign-up, and the first quote of each builder.
 *
 * Default keys stay in `api_keys`, one row for each builder, since the release before writes them there. It knows no other key,
 * so those attribute nothing on its processes. It takes a nonce that is kept for one message as one for any message, once.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE builder.named_keys (
    builder_id text COLLATE "C" NOT NULL REFERENCES builder.builders (id),
    id text COLLATE "C" NOT NULL,
    name text NOT NULL,
    scopes text[] NOT NULL CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY['quote', 'read']),
    hash builder.hash NOT NULL UNIQUE,
    prefix text NOT NULL,
    created_at timestamptz NOT NULL,
    last_used_at timestamptz,
    PRIMARY KEY (builder_id, id)
  )`

  yield* sql`ALTER TABLE builder.nonces ADD COLUMN kept_for builder.hash`

  yield* sql`CREATE TABLE builder.first_quotes (
    builder_id text COLLATE "C" PRIMARY KEY REFERENCES builder.builders (id),
    at timestamptz NOT NULL
  )`
  // The earliest known use of each builder's key.
  yield* sql`INSERT INTO builder.first_quotes (builder_id, at)
    SELECT builder_id, last_used_at FROM builder.api_keys WHERE last_used_at IS NOT NULL`
})
