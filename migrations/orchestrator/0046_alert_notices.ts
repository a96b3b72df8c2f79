/**
 * Records of the notices about each alert to each destination, with the lease of the process that sends. The release before neither reads
 * nor writes the table.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE orchestrator.alert_notices (
    alert_id bigint NOT NULL REFERENCES orchestrator.alerts (id) ON DELETE CASCADE,
    destination text COLLATE "C" NOT NULL,
    accepted integer NOT NULL DEFAULT 0 CHECK (accepted >= 0),
    last_at timestamptz,
    severity text CHECK (severity IN ('warning', 'critical')),
    failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
    retry_at timestamptz,
    closed boolean NOT NULL DEFAULT false,
    leased_until timestamptz,
    PRIMARY KEY (alert_id, destination)
  )`
  yield* sql`CREATE INDEX alert_notices_open ON orchestrator.alert_notices (destination) WHERE NOT closed`
})
