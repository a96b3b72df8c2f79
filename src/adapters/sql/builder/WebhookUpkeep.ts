/** Upkeep of webhook deliveries in the background, in small batches: deletions, and messages that wait for a disabled endpoint. */
import { Clock, Effect } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Webhooks } from "../../../ports/builder/Webhooks.ts"
import { boundedTime } from "../shared/BoundedTime.ts"
import { guarded } from "../shared/Database.ts"
import { endpointOf, endpointsWith, waiting } from "./WebhookTurns.ts"

/** Deletes up to `limit` deliveries that a query selects by their ids. */
const deleted = (sql: SqlClient.SqlClient, ids: Fragment) =>
  Effect.map(
    sql`DELETE FROM builder.webhook_deliveries WHERE id = ANY(ARRAY(${ids})) RETURNING 1`,
    (rows) => rows.length
  )

/** Ids of deliveries to endpoints that meet a condition. */
const ofEndpoints = (sql: SqlClient.SqlClient, endpoints: Fragment, deliveries: Fragment, limit: number) =>
  sql`SELECT d.id FROM builder.webhook_endpoints e CROSS JOIN LATERAL (
      SELECT id FROM builder.webhook_deliveries WHERE endpoint_id = e.id ${deliveries} LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ) d WHERE ${endpoints} LIMIT ${limit}`

export const prune = (sql: SqlClient.SqlClient): Webhooks["Service"]["prune"] =>
  Effect.fn("Webhooks.prune")(function* (beforeMs, limit) {
    const before = yield* boundedTime(sql, beforeMs)
    let gone = yield* deleted(sql, ofEndpoints(sql, sql`e.builder_id IS NULL`, sql``, limit))
    if (gone < limit) {
      yield* sql`DELETE FROM builder.webhook_endpoints e WHERE e.id = ANY(ARRAY(
        SELECT id FROM builder.webhook_endpoints WHERE builder_id IS NULL LIMIT ${limit} FOR UPDATE SKIP LOCKED
      )) AND NOT EXISTS (SELECT FROM builder.webhook_deliveries d WHERE d.endpoint_id = e.id)`
    }
    if (gone < limit) {
      gone += yield* deleted(
        sql,
        sql`SELECT id FROM builder.webhook_deliveries WHERE state <> 'pending' AND closed_at < ${before}
          LIMIT ${limit - gone} FOR UPDATE SKIP LOCKED`
      )
    }
    if (gone < limit) {
      const isPending = sql`AND state = 'pending'`
      gone += yield* deleted(sql, ofEndpoints(sql, sql`e.disabled_at < ${before}`, isPending, limit - gone))
    }
    return gone
  }, guarded("Webhooks.prune"))

/** Makes up to `limit` held deliveries of an enabled endpoint due, the oldest first. */
export const release = (sql: SqlClient.SqlClient, id: string, limit: number) =>
  sql`UPDATE builder.webhook_deliveries SET is_held = false WHERE id = ANY(ARRAY(
    SELECT id FROM builder.webhook_deliveries WHERE endpoint_id = ${id} AND state = 'pending' AND is_held
    ORDER BY due_at, id LIMIT ${limit}
  ))`

export const hold = (sql: SqlClient.SqlClient): Webhooks["Service"]["hold"] =>
  Effect.fn("Webhooks.hold")(function* (limit) {
    const at = yield* boundedTime(sql, yield* Clock.currentTimeMillis)
    const held = yield* sql`UPDATE builder.webhook_deliveries SET is_held = true WHERE id = ANY(ARRAY(
      WITH RECURSIVE ${waiting(sql)}
      SELECT d.id FROM waiting CROSS JOIN ${endpointOf(sql, "waiting.id")} e CROSS JOIN LATERAL (
        SELECT id FROM builder.webhook_deliveries
        WHERE endpoint_id = e.id AND state = 'pending' AND NOT is_held AND (lease_until IS NULL OR lease_until <= ${at})
        ORDER BY due_at, id LIMIT ${limit}
      ) d WHERE e.disabled_reason IS NOT NULL AND e.builder_id IS NOT NULL LIMIT ${limit}
    )) RETURNING 1`
    // Deliveries that were held while their endpoint was enabled, or that its enabling has left for here.
    const released = yield* sql`UPDATE builder.webhook_deliveries SET is_held = false WHERE id = ANY(ARRAY(
      WITH RECURSIVE ${endpointsWith(sql, "held", sql`is_held`)}
      SELECT d.id FROM held CROSS JOIN ${endpointOf(sql, "held.id")} e CROSS JOIN LATERAL (
        SELECT id FROM builder.webhook_deliveries WHERE endpoint_id = e.id AND state = 'pending' AND is_held
        ORDER BY due_at, id LIMIT ${limit}
      ) d WHERE e.disabled_reason IS NULL LIMIT ${limit}
    )) RETURNING 1`
    return Math.max(held.length, released.length)
  }, guarded("Webhooks.hold"))
