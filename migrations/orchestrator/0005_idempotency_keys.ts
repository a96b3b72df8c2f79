/**
 * Responses to keyed requests. Neither keys nor bodies of requests are stored: `id` and `fingerprint` are hashes, so
 * that a reader of the table cannot replay a request.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE orchestrator.idempotency_keys (
    id text COLLATE "C" PRIMARY KEY,
    fingerprint text COLLATE "C" NOT NULL,
    attempt text COLLATE "C" NOT NULL,
    attempts integer NOT NULL DEFAULT 1 CHECK (attempts >= 1),
    lease_until timestamptz NOT NULL,
    status integer CHECK (status BETWEEN 100 AND 599),
    body text,
    expires_at timestamptz NOT NULL,
    CONSTRAINT idempotency_keys_answer CHECK ((status IS NULL) = (body IS NULL))
  )`
  yield* sql`CREATE INDEX idempotency_keys_expiry ON orchestrator.idempotency_keys (expires_at)`
})
