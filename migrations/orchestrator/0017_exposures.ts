/**
 * Exposure of the relayer: reservations of sweeps under way, sums by class and hour, and the network of the client that submitted
 * a sweep. The release before neither reserves nor settles, so its sweeps count for no budget.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE orchestrator.exposures (
    intent_id text COLLATE "C" PRIMARY KEY,
    wei numeric(78, 0) NOT NULL,
    reserved_at timestamptz NOT NULL,
    classes text[] NOT NULL
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`
  // The row of hour -infinity has the wei that are reserved now. Every statement changes rows in the order of the key.
  yield* sql`CREATE TABLE orchestrator.exposure_sums (
    class text COLLATE "C" NOT NULL,
    hour timestamptz NOT NULL,
    open numeric NOT NULL DEFAULT 0,
    lost numeric NOT NULL DEFAULT 0,
    earned numeric NOT NULL DEFAULT 0,
    PRIMARY KEY (class, hour)
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02)`
  yield* sql`ALTER TABLE orchestrator.intent_signatures ADD COLUMN network text`
})
