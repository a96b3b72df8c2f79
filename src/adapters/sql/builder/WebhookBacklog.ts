/** {@link WebhookBacklog} in PostgreSQL. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer } from "effect"
import { WebhookBacklog } from "../../../ports/builder/WebhookBacklog.ts"
import { guarded, timestamp } from "../shared/Database.ts"
import * as PoolWait from "../shared/PoolWait.ts"
import { endpointOf, isDue, waiting } from "./WebhookTurns.ts"

/** Deliveries that are counted, at most. */
const MOST_COUNTED = 10_000

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  // The endpoints of a single builder that fail are its own trouble. Those of several may all fail since the service reaches nobody.
  const pending = sql<{ readonly waiting: bigint; readonly oldest: Date | null }>`
    WITH RECURSIVE ${waiting(sql)}, pending AS MATERIALIZED (
      SELECT d.created_at, e.builder_id, e.failing_since IS NOT NULL AS is_failing
      FROM waiting CROSS JOIN ${endpointOf(sql, "waiting.id")} e CROSS JOIN LATERAL (
        SELECT created_at FROM builder.webhook_deliveries
        WHERE endpoint_id = e.id AND state = 'pending' AND NOT is_held
        ORDER BY due_at, id LIMIT ${MOST_COUNTED}
      ) d WHERE e.disabled_reason IS NULL LIMIT ${MOST_COUNTED}
    )
    SELECT count(*) AS waiting, min(created_at) FILTER (
      WHERE NOT is_failing OR (SELECT count(DISTINCT builder_id) > 1 FROM pending WHERE is_failing)
    ) AS oldest FROM pending`

  const late = Effect.flatMap(Clock.currentTimeMillis, (millis) => {
    const at = timestamp(millis)
    return sql<{ readonly since: Date | null }>`
      WITH RECURSIVE ${waiting(sql)}, served AS MATERIALIZED (
        SELECT DISTINCT e.builder_id FROM builder.webhook_deliveries d CROSS JOIN ${endpointOf(sql, "d.endpoint_id")} e
        WHERE d.state = 'pending' AND d.lease_until > ${at} AND e.failing_since IS NULL
      )
      SELECT min(d.due_at) AS since FROM waiting CROSS JOIN ${endpointOf(sql, "waiting.id")} e
        CROSS JOIN LATERAL (
          SELECT due_at FROM builder.webhook_deliveries WHERE endpoint_id = e.id AND ${isDue(sql, at)}
          ORDER BY due_at, id LIMIT 1
        ) d
      WHERE e.disabled_reason IS NULL AND e.failing_since IS NULL
        AND NOT EXISTS (SELECT FROM served WHERE served.builder_id = e.builder_id)`
  })

  const read = Effect.gen(function* () {
    const [[counted], [oldest]] = yield* Effect.all([pending, late])
    return {
      waiting: Number(counted?.waiting ?? 0),
      oldestMs: counted?.oldest?.getTime(),
      lateSinceMs: oldest?.since?.getTime()
    }
  }).pipe(guarded("webhookBacklog"))

  return WebhookBacklog.of({ read, poolWaitMillis: PoolWait.measure(sql) })
})

/** Requires the schema of `Migrated.layer`. */
export const layer = Layer.effect(WebhookBacklog, make)
