/** {@link WebhookBacklog} in PostgreSQL. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { WebhookBacklog } from "../../../ports/builder/WebhookBacklog.ts"
import { guarded } from "../shared/Database.ts"
import * as PoolWait from "../shared/PoolWait.ts"

/** Deliveries that are counted, at most. */
const MOST_COUNTED = 10_000

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const read = sql<{ readonly waiting: bigint; readonly oldest: Date | null }>`
    SELECT count(*) AS waiting, min(created_at) AS oldest FROM (
      SELECT created_at FROM builder.webhook_deliveries WHERE state = 'pending'
      ORDER BY endpoint_id, due_at, id LIMIT ${MOST_COUNTED}
    ) pending`.pipe(
    Effect.map(([row]) => ({ waiting: Number(row?.waiting ?? 0), oldestMs: row?.oldest?.getTime() })),
    guarded("webhookBacklog")
  )
  return WebhookBacklog.of({ read, poolWaitMillis: PoolWait.measure(sql) })
})

/** Requires the schema of `Migrated.layer`. */
export const layer = Layer.effect(WebhookBacklog, make)
