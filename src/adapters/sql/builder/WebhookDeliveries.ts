/** Deliveries of webhooks in `builder.webhook_deliveries`: the lists of them, and those that are queued again. */
import { Array as Arr, Clock, Effect, Option } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { WebhookMessageType } from "../../../domain/Webhook.ts"
import {
  ATTEMPTS_LISTED,
  type Delivery,
  type DeliveryFilter,
  WebhookDisabled,
  WebhookNotFound,
  type Webhooks
} from "../../../ports/builder/Webhooks.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as ListPages from "./ListPages.ts"
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

const rowIds = (rows: ReadonlyArray<{ readonly id: bigint }>) => rows.map(({ id }) => String(id))

/** Deliveries with their newest attempts, oldest first. */
const withAttempts = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  rows: ReadonlyArray<{ readonly id: bigint }>
) {
  const attempts = yield* sql`SELECT newest.* FROM unnest(${rowIds(rows)}::bigint[]) AS wanted (delivery_id)
    CROSS JOIN LATERAL (
      SELECT * FROM builder.webhook_attempts a WHERE a.delivery_id = wanted.delivery_id ORDER BY a.id DESC LIMIT ${ATTEMPTS_LISTED}
    ) AS newest ORDER BY newest.id`
  return yield* WebhookRows.deliveries(rows, attempts)
})

/** Older attempts of a delivery that one replay removes at most: more than follow a replay. */
const REMOVED_ATTEMPTS = 1_000

/** Removes attempts that are not listed, since a delivery that is replayed again and again would gather them without limit. */
const removeOldAttempts = (sql: SqlClient.SqlClient, rows: ReadonlyArray<{ readonly id: bigint }>) =>
  sql`DELETE FROM builder.webhook_attempts WHERE id = ANY (ARRAY(
    SELECT old.id FROM unnest(${rowIds(rows)}::bigint[]) AS wanted (delivery_id) CROSS JOIN LATERAL (
      SELECT a.id FROM builder.webhook_attempts a WHERE a.delivery_id = wanted.delivery_id
      ORDER BY a.id DESC OFFSET ${ATTEMPTS_LISTED} LIMIT ${REMOVED_ATTEMPTS}
    ) AS old
  ))`

export const replay = (sql: SqlClient.SqlClient): Webhooks["Service"]["replay"] =>
  Effect.fn("Webhooks.replay")(
    function* (builderId, deliveryId) {
      const rows = yield* sql<{ id: bigint; is_open: boolean }>`SELECT d.id, e.disabled_reason IS NULL AS is_open
        FROM builder.webhook_deliveries d JOIN builder.webhook_endpoints e ON e.id = d.endpoint_id
        WHERE d.id = ${Rows.rowId(deliveryId)}::bigint AND e.builder_id = ${text(builderId)}`
      const [found] = rows
      if (found === undefined) return yield* new WebhookNotFound({ id: deliveryId })
      if (!found.is_open) return yield* new WebhookDisabled({ id: deliveryId })
      const queued = yield* sql<{ id: bigint }>`UPDATE builder.webhook_deliveries
        SET state = 'pending', is_held = false, failures = 0, due_at = ${yield* now}, closed_at = NULL
        WHERE id = ${String(found.id)}::bigint RETURNING *`
      yield* removeOldAttempts(sql, queued)
      const [delivery] = yield* withAttempts(sql, queued)
      return delivery ?? (yield* new WebhookNotFound({ id: deliveryId }))
    },
    (effect) => sql.withTransaction(effect),
    guarded("Webhooks.replay")
  )

const STATES = ["pending", "delivered", "failed"] as const satisfies ReadonlyArray<Delivery["state"]>

/** Types whose deliveries a filter may match. */
const typesOf = ({ type }: DeliveryFilter) => (type === undefined ? WebhookMessageType.literals : [type])

type Page = Parameters<Webhooks["Service"]["deliveries"]>[2]

/** The deliveries that a page lists, or more of them. */
const listed = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, id: string, page: Page) {
  const { limit, messageIds, state, type } = page
  const list = {
    table: "builder.webhook_deliveries",
    owner: sql`endpoint_id = ${text(id)}`,
    at: "created_at",
    key: "id"
  }
  const within = yield* ListPages.window(sql, list, page)
  const newest = ListPages.newest(sql, list, limit)
  if (messageIds !== undefined) {
    const ofState = state === undefined ? sql`` : sql`AND state = ${state}`
    const ofType = type === undefined ? sql`` : sql`AND type = ${type}`
    return sql`SELECT * FROM builder.webhook_deliveries WHERE ${list.owner} AND message_id = ANY (${messageIds.map(text)})
      ${ofState} ${ofType} ${within}`
  }
  if (state === undefined && type === undefined) {
    return sql`SELECT * FROM builder.webhook_deliveries WHERE ${list.owner} ${within} ${newest}`
  }
  return sql`SELECT found.* FROM unnest(${state === undefined ? STATES : [state]}::text[]) AS wanted (state)
    CROSS JOIN unnest(${typesOf(page)}::text[]) AS kind (type)
    CROSS JOIN LATERAL (
      SELECT * FROM builder.webhook_deliveries WHERE ${list.owner} AND state = wanted.state AND type = kind.type ${within}
      ${newest}
    ) AS found`
})

export const deliveries = (sql: SqlClient.SqlClient): Webhooks["Service"]["deliveries"] =>
  Effect.fn("Webhooks.deliveries")(function* (builderId, id, page) {
    if (Option.isNone(yield* find(sql)(builderId, id))) return yield* new WebhookNotFound({ id })
    return yield* withAttempts(
      sql,
      yield* sql<{ id: bigint }>`SELECT * FROM (${yield* listed(sql, id, page)}) AS matching
        ORDER BY created_at DESC, id DESC LIMIT ${page.limit}`
    )
  }, guarded("Webhooks.deliveries"))

export const replayFailed = (sql: SqlClient.SqlClient): Webhooks["Service"]["replayFailed"] =>
  Effect.fn("Webhooks.replayFailed")(
    function* (builderId, id, limit, filter = {}) {
      const endpoint = yield* find(sql)(builderId, id)
      if (Option.isNone(endpoint)) return yield* new WebhookNotFound({ id })
      if (endpoint.value.disabled !== undefined) return yield* new WebhookDisabled({ id })
      const { fromMs, toMs } = filter
      const from = fromMs === undefined ? sql`` : sql`AND created_at >= ${timestamp(fromMs)}`
      const to = toMs === undefined ? sql`` : sql`AND created_at < ${timestamp(toMs)}`
      // The oldest of each type are found by the index, and the oldest of these are queued.
      const queued = yield* sql<{ id: bigint }>`UPDATE builder.webhook_deliveries
        SET state = 'pending', is_held = false, failures = 0, due_at = ${yield* now}, closed_at = NULL
        WHERE state = 'failed' AND id = ANY (ARRAY(
          SELECT d.id FROM builder.webhook_deliveries d WHERE d.id = ANY (ARRAY(
            SELECT oldest.id FROM unnest(${typesOf(filter)}::text[]) AS kind (type) CROSS JOIN LATERAL (
              SELECT id, created_at FROM builder.webhook_deliveries
              WHERE endpoint_id = ${text(id)} AND state = 'failed' AND type = kind.type ${from} ${to}
              ORDER BY created_at, id LIMIT ${limit}
            ) AS oldest ORDER BY oldest.created_at, oldest.id LIMIT ${limit}
          )) AND d.state = 'failed' FOR UPDATE SKIP LOCKED
        )) RETURNING id`
      yield* removeOldAttempts(sql, queued)
      return queued.length
    },
    (effect) => sql.withTransaction(effect),
    guarded("Webhooks.replayFailed")
  )

export const ofMessages = (sql: SqlClient.SqlClient): Webhooks["Service"]["ofMessages"] =>
  Effect.fn("Webhooks.ofMessages")(function* (builderId, messageIds) {
    return yield* withAttempts(
      sql,
      yield* sql<{ id: bigint }>`SELECT d.* FROM builder.webhook_endpoints e
        JOIN builder.webhook_deliveries d ON d.endpoint_id = e.id AND d.message_id = ANY (${messageIds.map(text)})
        WHERE e.builder_id = ${text(builderId)} ORDER BY d.id`
    )
  }, guarded("Webhooks.ofMessages"))

/** Time of the oldest of the newest `limit` test messages to an endpoint since a time. None if there are fewer. */
export const testsSince = (sql: SqlClient.SqlClient, id: string, since: Date, limit: number) =>
  sql<{
    readonly at: Date
  }>`SELECT created_at AS at FROM unnest(${STATES}::text[]) AS wanted (state) CROSS JOIN LATERAL (
      SELECT created_at FROM builder.webhook_deliveries
      WHERE endpoint_id = ${id} AND state = wanted.state AND type = 'webhook.test' AND created_at > ${since}
      ORDER BY created_at DESC, id DESC LIMIT ${limit}
    ) AS newest ORDER BY created_at DESC OFFSET ${limit - 1} LIMIT 1`

/** Deliveries of a message to an endpoint: one, or none. */
export const ofMessage = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, id: string, messageId: string) {
  return yield* withAttempts(
    sql,
    yield* sql<{ id: bigint }>`SELECT * FROM builder.webhook_deliveries
      WHERE endpoint_id = ${text(id)} AND message_id = ${text(messageId)}`
  )
})
