/**
 * Removed webhooks, pending messages of disabled ones, and indexes of the audit log.
 *
 * An endpoint without a builder is removed: its row stays until its deliveries are deleted in small batches. A held delivery is pending for
 * a disabled endpoint, and is outside the index of those that can be sent.
 *
 * The release before lists no endpoint without a builder, and sends nothing to it, since it is disabled. If an attempt of that release is
 * under way when its endpoint is removed, the record of the attempt fails, since it expects a builder; the delivery is deleted with the
 * endpoint. It ignores `is_held` and needs `webhook_deliveries_due`, which a later migration may drop.
 *
 * Tables are locked in the order in which transactions write them, an endpoint before the audit log, so that none of them deadlocks with
 * this one. All locks are kept to the end, so webhooks wait while the indexes are built.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE builder.webhook_endpoints
    ALTER COLUMN builder_id DROP NOT NULL,
    ADD CONSTRAINT webhook_endpoints_removed CHECK (builder_id IS NOT NULL OR disabled_reason IS NOT NULL)`
  yield* sql`CREATE INDEX webhook_endpoints_disabled_at ON builder.webhook_endpoints (disabled_at)
    WHERE disabled_at IS NOT NULL`

  yield* sql`ALTER TABLE builder.webhook_deliveries ADD COLUMN is_held boolean NOT NULL DEFAULT false`
  yield* sql`CREATE INDEX webhook_deliveries_waiting ON builder.webhook_deliveries (endpoint_id, due_at, id)
    WHERE state = 'pending' AND NOT is_held`
  yield* sql`CREATE INDEX webhook_deliveries_held ON builder.webhook_deliveries (endpoint_id, due_at, id)
    WHERE state = 'pending' AND is_held`

  yield* sql`CREATE INDEX audit_log_of_actor ON builder.audit_log (actor, id)`
  yield* sql`CREATE INDEX audit_log_of_operators ON builder.audit_log (id) WHERE NOT starts_with(actor, 'builder:')`
})
