/** The protocol's revenue, and alerts for operators. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE builder.revenue (
    sweep_id text COLLATE "C" PRIMARY KEY,
    chain_id bigint NOT NULL CHECK (chain_id > 0),
    token builder.address NOT NULL,
    amount builder.uint256 NOT NULL,
    tx_hash builder.hash NOT NULL,
    settled_at timestamptz NOT NULL,
    booked_at timestamptz NOT NULL
  )`
  yield* sql`CREATE INDEX revenue_settled ON builder.revenue (settled_at)`
  yield* sql`CREATE TRIGGER revenue_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON builder.revenue
    FOR EACH STATEMENT EXECUTE FUNCTION builder.refuse_change()`

  // Cleared alerts remain as history. At most one alert of a key stands.
  yield* sql`CREATE TABLE builder.alerts (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    key text COLLATE "C" NOT NULL,
    severity text NOT NULL CHECK (severity IN ('warning', 'critical')),
    kind text NOT NULL,
    message text NOT NULL,
    details jsonb NOT NULL,
    since timestamptz NOT NULL,
    cleared_at timestamptz
  )`
  yield* sql`CREATE UNIQUE INDEX alerts_standing ON builder.alerts (key) WHERE cleared_at IS NULL`
})
