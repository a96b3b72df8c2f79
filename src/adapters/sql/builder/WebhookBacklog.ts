/** {@link WebhookBacklog} in PostgreSQL. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer } from "effect"
import { WebhookBacklog } from "../../../ports/builder/WebhookBacklog.ts"
import { guarded, timestamp } from "../shared/Database.ts"
import * as PoolWait from "../shared/PoolWait.ts"
import { endpointOf, isDue, waiting } from "./WebhookTurns.ts"

/** Deliveries that are counted, at most. */
const MOST_COUNTED = 10_000

/** Deliveries of one endpoint that are read for their age, at most. Those that were tried are due later, so they are not in order of age. */
const READ_OF_ENDPOINT = 10

/** Ended deliveries that are searched for a success, at most, newest first. */
const MOST_ENDED = 1_000

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  const waitingOf = (most: number) => sql`LATERAL (
        SELECT created_at FROM builder.webhook_deliveries
        WHERE endpoint_id = e.id AND state = 'pending' AND NOT is_held
        ORDER BY due_at, id LIMIT ${most}
      )`

  // The endpoints of a single builder that fail are its own trouble, if another webhook was delivered meanwhile. Otherwise, or if those of
  // several builders fail, the service may reach nobody.
  const pending = sql<{ readonly waiting: bigint; readonly oldest: Date | null }>`
    WITH RECURSIVE ${waiting(sql)}, enabled AS MATERIALIZED (
      SELECT e.id, e.builder_id, e.failing_since FROM waiting CROSS JOIN ${endpointOf(sql, "waiting.id")} e
      WHERE e.disabled_reason IS NULL
    ), aged AS MATERIALIZED (
      SELECT d.created_at, e.builder_id, e.failing_since FROM enabled e CROSS JOIN ${waitingOf(READ_OF_ENDPOINT)} d
    ), own AS MATERIALIZED (
      SELECT count(DISTINCT builder_id) <= 1 AND EXISTS (
        SELECT FROM (
          SELECT state, closed_at FROM builder.webhook_deliveries WHERE state <> 'pending'
          ORDER BY closed_at DESC LIMIT ${MOST_ENDED}
        ) ended WHERE ended.state = 'delivered' AND ended.closed_at >= min(aged.failing_since)
      ) AS is_own FROM aged WHERE failing_since IS NOT NULL
    )
    SELECT
      (SELECT count(*) FROM (
        SELECT FROM enabled e CROSS JOIN ${waitingOf(MOST_COUNTED)} d LIMIT ${MOST_COUNTED}
      ) counted) AS waiting,
      (SELECT min(created_at) FROM aged WHERE failing_since IS NULL OR NOT (SELECT is_own FROM own)) AS oldest`

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
