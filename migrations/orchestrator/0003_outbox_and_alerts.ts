/** Messages for the builder backend, stored with the change that caused them, and alerts for operators. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE orchestrator.outbox (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    idempotency_key text COLLATE "C" NOT NULL UNIQUE,
    intent_id text COLLATE "C" NOT NULL REFERENCES orchestrator.intents (id),
    message jsonb NOT NULL,
    state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'rejected')),
    attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    due_at timestamptz NOT NULL,
    detail text,
    created_at timestamptz NOT NULL,
    closed_at timestamptz,
    CONSTRAINT outbox_closed CHECK ((state = 'pending') = (closed_at IS NULL))
  )`
  yield* sql`CREATE INDEX outbox_due ON orchestrator.outbox (due_at, id) WHERE state = 'pending'`
  yield* sql`CREATE INDEX outbox_rejected ON orchestrator.outbox (id) WHERE state = 'rejected'`

  // Cleared alerts remain as history. At most one alert of a key stands.
  yield* sql`CREATE TABLE orchestrator.alerts (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    key text COLLATE "C" NOT NULL,
    severity text NOT NULL CHECK (severity IN ('warning', 'critical')),
    kind text NOT NULL,
    message text NOT NULL,
    details jsonb NOT NULL,
    since timestamptz NOT NULL,
    cleared_at timestamptz
  )`
  yield* sql`CREATE UNIQUE INDEX alerts_standing ON orchestrator.alerts (key) WHERE cleared_at IS NULL`
})
