/**
 * Events about builders' sweeps, and the webhooks that deliver them.
 *
 * Events are only added. `sweeps` is their sum, one row per intent, updated in the transaction that adds an event, so
 * that lists and totals do not read the history.
 *
 * Webhook secrets are readable here, since signing needs them. They only let a receiver verify messages.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE builder.sweep_events (
    id text COLLATE "C" PRIMARY KEY,
    builder_id text COLLATE "C" NOT NULL REFERENCES builder.builders (id),
    intent_id text COLLATE "C" NOT NULL,
    status text NOT NULL CHECK (status IN ('submitted', 'settled_source', 'delivered', 'failed')),
    event jsonb NOT NULL,
    recorded_at timestamptz NOT NULL,
    CONSTRAINT sweep_events_status UNIQUE (intent_id, status)
  )`
  yield* sql`CREATE TRIGGER sweep_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON builder.sweep_events
    FOR EACH STATEMENT EXECUTE FUNCTION builder.refuse_change()`

  // Events may arrive in any order. The furthest one gives the status.
  yield* sql`CREATE FUNCTION builder.sweep_progress(status text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE status WHEN 'submitted' THEN 1 WHEN 'settled_source' THEN 2 ELSE 3 END`
  yield* sql`CREATE TABLE builder.sweeps (
    intent_id text COLLATE "C" PRIMARY KEY,
    position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    builder_id text COLLATE "C" NOT NULL REFERENCES builder.builders (id),
    status text NOT NULL,
    failure_reason text,
    started_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    owner builder.address NOT NULL,
    source_chain_id bigint NOT NULL CHECK (source_chain_id > 0),
    dest_chain_id bigint NOT NULL CHECK (dest_chain_id > 0),
    cross_chain boolean NOT NULL,
    token_in builder.address NOT NULL,
    amount_in builder.uint256 NOT NULL,
    token_out builder.address NOT NULL,
    min_amount_out builder.uint256 NOT NULL,
    builder_fee builder.uint256 NOT NULL,
    tx_hash builder.hash,
    delivery_tx_hash builder.hash
  )`
  yield* sql`CREATE INDEX sweeps_newest ON builder.sweeps (builder_id, position)`
  yield* sql`CREATE INDEX sweeps_newest_of_status ON builder.sweeps (builder_id, status, position)`
  yield* sql`CREATE INDEX sweeps_started ON builder.sweeps (builder_id, started_at)`

  yield* sql`CREATE TABLE builder.webhook_endpoints (
    id text COLLATE "C" PRIMARY KEY,
    builder_id text COLLATE "C" NOT NULL REFERENCES builder.builders (id),
    url text NOT NULL,
    description text NOT NULL,
    events text[] NOT NULL,
    secret text NOT NULL,
    previous_secret text,
    previous_secret_until timestamptz,
    disabled_reason text CHECK (disabled_reason IN ('paused', 'gone', 'failing')),
    disabled_at timestamptz,
    failing_since timestamptz,
    last_failure_at timestamptz,
    created_at timestamptz NOT NULL,
    CONSTRAINT webhook_endpoints_disabled CHECK ((disabled_reason IS NULL) = (disabled_at IS NULL)),
    CONSTRAINT webhook_endpoints_failing CHECK ((failing_since IS NULL) = (last_failure_at IS NULL)),
    CONSTRAINT webhook_endpoints_rotation CHECK ((previous_secret IS NULL) = (previous_secret_until IS NULL))
  )`
  yield* sql`CREATE INDEX webhook_endpoints_builder ON builder.webhook_endpoints (builder_id)`

  // The last constraint prevents two deliveries of a message to one endpoint.
  yield* sql`CREATE TABLE builder.webhook_deliveries (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    endpoint_id text COLLATE "C" NOT NULL REFERENCES builder.webhook_endpoints (id) ON DELETE CASCADE,
    message_id text COLLATE "C" NOT NULL,
    type text NOT NULL,
    payload text NOT NULL,
    state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
    failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
    due_at timestamptz NOT NULL,
    lease_until timestamptz,
    created_at timestamptz NOT NULL,
    closed_at timestamptz,
    CONSTRAINT webhook_deliveries_closed CHECK ((state = 'pending') = (closed_at IS NULL)),
    CONSTRAINT webhook_deliveries_message UNIQUE (endpoint_id, message_id)
  )`
  yield* sql`CREATE INDEX webhook_deliveries_due ON builder.webhook_deliveries (endpoint_id, due_at, id)
    WHERE state = 'pending'`
  yield* sql`CREATE INDEX webhook_deliveries_leased ON builder.webhook_deliveries (endpoint_id, lease_until)
    WHERE state = 'pending' AND lease_until IS NOT NULL`
  yield* sql`CREATE INDEX webhook_deliveries_newest ON builder.webhook_deliveries (endpoint_id, id)`
  yield* sql`CREATE INDEX webhook_deliveries_closed_at ON builder.webhook_deliveries (closed_at)
    WHERE state <> 'pending'`

  yield* sql`CREATE TABLE builder.webhook_attempts (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    delivery_id bigint NOT NULL REFERENCES builder.webhook_deliveries (id) ON DELETE CASCADE,
    at timestamptz NOT NULL,
    duration_millis integer NOT NULL CHECK (duration_millis >= 0),
    status_code integer,
    error text,
    response text,
    CONSTRAINT webhook_attempts_outcome CHECK ((status_code IS NULL) <> (error IS NULL))
  )`
  yield* sql`CREATE INDEX webhook_attempts_delivery ON builder.webhook_attempts (delivery_id, id)`
})
