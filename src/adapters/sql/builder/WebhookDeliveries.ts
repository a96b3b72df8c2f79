/** Deliveries of webhooks in `builder.webhook_deliveries`: the lists of them, and those that are queued again. */
import { Array as Arr, Clock, Effect, Option } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { type Delivery, WebhookDisabled, WebhookNotFound, type Webhooks } from "../../../ports/builder/Webhooks.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as Rows from "./Rows.ts"
import * as WebhookRows from "./WebhookRows.ts"

const now = Effect.map(Clock.currentTimeMillis, timestamp)

/** Condition on the endpoint of this id, if the builder owns it. */
export const owned = (sql: SqlClient.SqlClient, builderId: string, id: string) =>
  sql`id = ${text(id)} AND builder_id = ${text(builderId)}`

/** The endpoint; none if the builder owns no such endpoint. */
export const find = (sql: SqlClient.SqlClient): Webhooks["Service"]["find"] =>
  Effect.fn("Webhooks.find")(function* (builderId, id) {
    return Arr.head(
      yield* WebhookRows.endpoints(
        yield* sql`SELECT * FROM builder.webhook_endpoints WHERE ${owned(sql, builderId, id)}`
      )
    )
  }, guarded("Webhooks.find"))

const withAttempts = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  rows: ReadonlyArray<{ readonly id: bigint }>
) {
  const attempts = yield* sql`SELECT * FROM builder.webhook_attempts
    WHERE delivery_id = ANY (${rows.map(({ id }) => String(id))}::bigint[]) ORDER BY id`
  return yield* WebhookRows.deliveries(rows, attempts)
})

export const replay = (sql: SqlClient.SqlClient): Webhooks["Service"]["replay"] =>
  Effect.fn("Webhooks.replay")(function* (builderId, deliveryId) {
    const rows = yield* sql<{ id: bigint; is_open: boolean }>`SELECT d.id, e.disabled_reason IS NULL AS is_open
      FROM builder.webhook_deliveries d JOIN builder.webhook_endpoints e ON e.id = d.endpoint_id
      WHERE d.id = ${Rows.rowId(deliveryId)}::bigint AND e.builder_id = ${text(builderId)}`
    const [found] = rows
    if (found === undefined) return yield* new WebhookNotFound({ id: deliveryId })
    if (!found.is_open) return yield* new WebhookDisabled({ id: deliveryId })
    const [delivery] = yield* withAttempts(
      sql,
      yield* sql<{ id: bigint }>`UPDATE builder.webhook_deliveries
        SET state = 'pending', failures = 0, due_at = ${yield* now}, closed_at = NULL
        WHERE id = ${String(found.id)}::bigint RETURNING *`
    )
    return delivery ?? (yield* new WebhookNotFound({ id: deliveryId }))
  }, guarded("Webhooks.replay"))

const inState = (sql: SqlClient.SqlClient, state: Delivery["state"] | undefined) =>
  state === undefined ? sql`` : state === "failed" ? sql`AND state = 'failed'` : sql`AND state = ${state}`

export const deliveries = (sql: SqlClient.SqlClient): Webhooks["Service"]["deliveries"] =>
  Effect.fn("Webhooks.deliveries")(function* (builderId, id, page) {
    if (Option.isNone(yield* find(sql)(builderId, id))) return yield* new WebhookNotFound({ id })
    return yield* withAttempts(
      sql,
      yield* sql<{ id: bigint }>`SELECT * FROM builder.webhook_deliveries WHERE endpoint_id = ${text(id)}
          AND id < coalesce(${Rows.rowId(page.before)}::bigint, 9223372036854775807)
          ${inState(sql, page.state)}
          ORDER BY id DESC LIMIT ${page.limit}`
    )
  }, guarded("Webhooks.deliveries"))

export const replayFailed = (sql: SqlClient.SqlClient): Webhooks["Service"]["replayFailed"] =>
  Effect.fn("Webhooks.replayFailed")(function* (builderId, id, limit) {
    const endpoint = yield* find(sql)(builderId, id)
    if (Option.isNone(endpoint)) return yield* new WebhookNotFound({ id })
    if (endpoint.value.disabled !== undefined) return yield* new WebhookDisabled({ id })
    const queued = yield* sql`UPDATE builder.webhook_deliveries
      SET state = 'pending', failures = 0, due_at = ${yield* now}, closed_at = NULL
      WHERE state = 'failed' AND id = ANY (ARRAY(
        SELECT id FROM builder.webhook_deliveries WHERE endpoint_id = ${text(id)} AND state = 'failed'
        ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED
      )) RETURNING id`
    return queued.length
  }, guarded("Webhooks.replayFailed"))

export const ofMessages = (sql: SqlClient.SqlClient): Webhooks["Service"]["ofMessages"] =>
  Effect.fn("Webhooks.ofMessages")(function* (builderId, messageIds) {
    return yield* withAttempts(
      sql,
      yield* sql<{ id: bigint }>`SELECT d.* FROM builder.webhook_endpoints e
        JOIN builder.webhook_deliveries d ON d.endpoint_id = e.id AND d.message_id = ANY (${messageIds.map(text)})
        WHERE e.builder_id = ${text(builderId)} ORDER BY d.id`
    )
  }, guarded("Webhooks.ofMessages"))
