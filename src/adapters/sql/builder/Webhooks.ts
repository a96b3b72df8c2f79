/**
 * Endpoints in `builder.webhook_endpoints`, with their deliveries and attempts. The deliveries are the queue. A lease
 * is a column, so a delivery is due again if its sender dies, and any number of processes share the work.
 */
import { Clock, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { type EndpointHealth, MAX_TESTS, TESTS_MILLIS, type WebhookMessage } from "../../../domain/Webhook.ts"
import { UnknownBuilder } from "../../../ports/builder/Ledger.ts"
import {
  WebhookDisabled,
  WebhookLimit,
  WebhookNotFound,
  Webhooks,
  WebhookTestLimit,
  WebhookTestPending
} from "../../../ports/builder/Webhooks.ts"
import { SecretBox, type SecretBoxShape } from "../../../ports/shared/SecretBox.ts"
import { boundedTime } from "../shared/BoundedTime.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import {
  deliveries,
  find,
  ofMessage,
  ofMessages,
  owned,
  replay,
  replayFailed,
  testsSince
} from "./WebhookDeliveries.ts"
import { UnreadableDeliveries } from "./UnreadableDeliveries.ts"
import * as WebhookRows from "./WebhookRows.ts"
import * as WebhookSecrets from "./WebhookSecrets.ts"
import { claim } from "./WebhookTurns.ts"
import { hold, prune, release } from "./WebhookUpkeep.ts"

/** Held deliveries that the enabling of an endpoint makes due at once. The others follow in the background. */
const RELEASED = 1_000

const now = Effect.map(Clock.currentTimeMillis, timestamp)

/** The single endpoint of the rows. */
const theOne = Effect.fnUntraced(function* (id: string, rows: ReadonlyArray<unknown>) {
  const [endpoint] = yield* WebhookRows.endpoints(rows)
  return endpoint ?? (yield* new WebhookNotFound({ id }))
})

const create = (sql: SqlClient.SqlClient, box: SecretBoxShape): Webhooks["Service"]["create"] =>
  Effect.fn("Webhooks.create")(
    function* (endpoint, secret, limit) {
      const { builderId } = endpoint
      // Concurrent calls wait here for each other, and then see each other's endpoints.
      const builders = yield* sql`SELECT id FROM builder.builders WHERE id = ${text(builderId)} FOR UPDATE`
      if (builders.length === 0) return yield* new UnknownBuilder({ builderId })
      const others = yield* sql`SELECT id FROM builder.webhook_endpoints WHERE builder_id = ${text(builderId)}`
      if (others.length >= limit) return yield* new WebhookLimit({ limit })
      const { plain, sealed } = yield* WebhookSecrets.stored(box, "secret", endpoint.id, secret)
      yield* sql`INSERT INTO builder.webhook_endpoints
          (id, builder_id, url, description, events, secret, secret_sealed, created_at)
        VALUES (${endpoint.id}, ${builderId}, ${text(endpoint.url)}, ${text(endpoint.description)},
          ${endpoint.events}::text[], ${plain}, ${sealed}, ${timestamp(endpoint.createdAtMs)})`
    },
    (effect) => sql.withTransaction(effect),
    guarded("Webhooks.create")
  )

const list = (sql: SqlClient.SqlClient): Webhooks["Service"]["list"] =>
  Effect.fn("Webhooks.list")(function* (builderId) {
    return yield* WebhookRows.endpoints(
      yield* sql`SELECT * FROM builder.webhook_endpoints WHERE builder_id = ${text(builderId)} ORDER BY created_at, id`
    )
  }, guarded("Webhooks.list"))

const modify = (sql: SqlClient.SqlClient): Webhooks["Service"]["modify"] =>
  Effect.fn("Webhooks.modify")(
    function* (builderId, id, patch) {
      const { description, enabled, events, url } = patch
      const enabling =
        enabled === undefined
          ? sql``
          : enabled
            ? sql`, disabled_reason = NULL, disabled_at = NULL, failing_since = NULL, last_failure_at = NULL`
            : sql`, disabled_reason = coalesce(disabled_reason, 'paused'), disabled_at = coalesce(disabled_at, ${yield* now})`
      const endpoint = yield* theOne(
        id,
        yield* sql`UPDATE builder.webhook_endpoints SET
            url = coalesce(${url === undefined ? null : text(url)}, url),
            description = coalesce(${description === undefined ? null : text(description)}, description),
            events = coalesce(${events ?? null}::text[], events) ${enabling}
          WHERE ${owned(sql, builderId, id)} RETURNING *`
      )
      if (enabled === true) yield* release(sql, id, RELEASED)
      return endpoint
    },
    (effect) => sql.withTransaction(effect),
    guarded("Webhooks.modify")
  )

/**
 * Takes the endpoint from its builder, and erases what is secret. Its deliveries are deleted in the background, because their number has no
 * limit and a statement has one.
 */
const remove = (sql: SqlClient.SqlClient): Webhooks["Service"]["remove"] =>
  Effect.fn("Webhooks.remove")(function* (builderId, id) {
    const removed = yield* sql`UPDATE builder.webhook_endpoints SET builder_id = NULL, url = '', description = '',
        secret = '', secret_sealed = NULL, previous_secret = NULL, previous_secret_sealed = NULL, previous_secret_until = NULL,
        disabled_reason = coalesce(disabled_reason, 'paused'), disabled_at = coalesce(disabled_at, ${yield* now})
      WHERE ${owned(sql, builderId, id)} RETURNING id`
    if (removed.length === 0) return yield* new WebhookNotFound({ id })
  }, guarded("Webhooks.remove"))

const rotate = (sql: SqlClient.SqlClient, box: SecretBoxShape): Webhooks["Service"]["rotate"] =>
  Effect.fn("Webhooks.rotate")(
    function* (builderId, id, secret, previousUntilMs) {
      const [held] = yield* sql<{ readonly secret: string | null; readonly secret_sealed: string | null }>`
        SELECT secret, secret_sealed FROM builder.webhook_endpoints WHERE ${owned(sql, builderId, id)} FOR UPDATE`
      if (held === undefined) return yield* new WebhookNotFound({ id })
      const { plain, sealed } = yield* WebhookSecrets.stored(box, "secret", id, secret)
      // A secret that cannot be read cannot sign beside the new one.
      const previous = yield* WebhookSecrets.read(box, "secret", id, {
        plain: held.secret,
        sealed: held.secret_sealed
      }).pipe(
        Effect.flatMap((former) => WebhookSecrets.stored(box, "previous_secret", id, former)),
        Effect.orElseSucceed(() => ({ plain: null, sealed: null }))
      )
      const isKept = previous.plain !== null || previous.sealed !== null
      return yield* theOne(
        id,
        yield* sql`UPDATE builder.webhook_endpoints SET secret = ${plain}, secret_sealed = ${sealed},
            previous_secret = ${previous.plain}, previous_secret_sealed = ${previous.sealed},
            previous_secret_until = ${isKept ? timestamp(previousUntilMs) : null}
          WHERE ${owned(sql, builderId, id)} RETURNING *`
      )
    },
    (effect) => sql.withTransaction(effect),
    guarded("Webhooks.rotate")
  )

const enqueue = (sql: SqlClient.SqlClient, message: WebhookMessage, at: Date, endpoints: Fragment) =>
  sql`INSERT INTO builder.webhook_deliveries (endpoint_id, message_id, type, payload, due_at, created_at)
    SELECT id, ${text(message.id)}, ${message.type}, ${text(message.payload)}, ${at}::timestamptz, ${at}::timestamptz
    FROM builder.webhook_endpoints WHERE ${endpoints} AND disabled_reason IS NULL
    ON CONFLICT (endpoint_id, message_id) DO NOTHING RETURNING *`

const publish = (sql: SqlClient.SqlClient): Webhooks["Service"]["publish"] =>
  Effect.fn("Webhooks.publish")(function* (builderId, message) {
    const wanted = sql`builder_id = ${text(builderId)} AND (cardinality(events) = 0 OR ${message.type} = ANY (events))`
    yield* enqueue(sql, message, yield* now, wanted)
  }, guarded("Webhooks.publish"))

const send = (sql: SqlClient.SqlClient): Webhooks["Service"]["send"] =>
  Effect.fn("Webhooks.send")(
    function* (builderId, id, message) {
      // Concurrent calls wait here for each other, and then see each other's messages.
      const endpoint = yield* theOne(
        id,
        yield* sql`SELECT * FROM builder.webhook_endpoints WHERE ${owned(sql, builderId, id)} FOR NO KEY UPDATE`
      )
      if (endpoint.disabled !== undefined) return yield* new WebhookDisabled({ id })
      const [known] = yield* ofMessage(sql, id, message.id)
      if (known !== undefined) return known
      const tests = yield* sql`SELECT id FROM builder.webhook_deliveries
        WHERE endpoint_id = ${id} AND state = 'pending' AND type = 'webhook.test' LIMIT 1`
      if (message.type === "webhook.test") {
        if (tests.length > 0) return yield* new WebhookTestPending({ id })
        const nowMs = yield* Clock.currentTimeMillis
        const [oldest] = yield* testsSince(sql, id, timestamp(nowMs - TESTS_MILLIS), MAX_TESTS)
        if (oldest !== undefined) {
          return yield* new WebhookTestLimit({ id, retryAfterMillis: oldest.at.getTime() + TESTS_MILLIS - nowMs })
        }
      }
      const rows = yield* enqueue(sql, message, yield* now, owned(sql, builderId, id))
      const [delivery] = yield* WebhookRows.deliveries(rows, [])
      return delivery ?? (yield* new WebhookDisabled({ id }))
    },
    (effect) => sql.withTransaction(effect),
    guarded("Webhooks.send")
  )

const setHealth = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  webhookId: string,
  { disable, failing }: EndpointHealth,
  at: Date
) {
  yield* sql`UPDATE builder.webhook_endpoints SET
      failing_since = ${failing === undefined ? null : timestamp(failing.sinceMs)},
      last_failure_at = ${failing === undefined ? null : timestamp(failing.lastMs)},
      disabled_reason = coalesce(disabled_reason, ${disable ?? null}),
      disabled_at = coalesce(disabled_at, CASE WHEN ${disable ?? null}::text IS NOT NULL THEN ${at}::timestamptz END)
    WHERE id = ${webhookId}`
})

const record = (sql: SqlClient.SqlClient): Webhooks["Service"]["record"] =>
  Effect.fn("Webhooks.record")(
    function* (due, attempt, next, judge) {
      const at = yield* now
      const [endpoint] = yield* WebhookRows.endpoints(
        yield* sql`SELECT * FROM builder.webhook_endpoints WHERE id = ${due.webhookId} AND builder_id IS NOT NULL FOR NO KEY UPDATE`
      )
      const held = yield* sql`SELECT id FROM builder.webhook_deliveries WHERE id = ${due.id}::bigint FOR UPDATE`
      if (endpoint === undefined || held.length === 0) return
      yield* sql`INSERT INTO builder.webhook_attempts (delivery_id, at, duration_millis, status_code, error, response)
        VALUES (${due.id}::bigint, ${timestamp(attempt.atMs)}, ${attempt.durationMs}, ${attempt.statusCode ?? null},
          ${attempt.error === undefined ? null : text(attempt.error)},
          ${attempt.response === undefined ? null : text(attempt.response)})`
      if (next._tag === "Delivered") {
        yield* sql`UPDATE builder.webhook_deliveries SET state = 'delivered', lease_until = NULL, closed_at = ${at}
          WHERE id = ${due.id}::bigint AND state <> 'delivered'`
      } else {
        yield* sql`UPDATE builder.webhook_deliveries SET failures = failures + 1, lease_until = NULL,
            due_at = ${next._tag === "Retry" ? yield* boundedTime(sql, next.atMs) : at},
            state = ${next._tag === "Retry" ? "pending" : "failed"},
            closed_at = ${next._tag === "Retry" ? null : at}
          WHERE id = ${due.id}::bigint AND state = 'pending' AND failures = ${due.failures}`
      }
      const health = judge(endpoint.failing)
      if (endpoint.failing !== undefined || health.failing !== undefined) {
        yield* setHealth(sql, endpoint.id, health, at)
      }
    },
    (effect) => sql.withTransaction(effect),
    guarded("Webhooks.record")
  )

export const layer = Layer.effect(
  Webhooks,
  Effect.gen(function* () {
    const box = yield* SecretBox
    const sql = yield* SqlClient.SqlClient
    const unreadable = yield* UnreadableDeliveries
    return Webhooks.of({
      create: create(sql, box),
      list: list(sql),
      find: find(sql),
      modify: modify(sql),
      remove: remove(sql),
      rotate: rotate(sql, box),
      publish: publish(sql),
      send: send(sql),
      replay: replay(sql),
      deliveries: deliveries(sql),
      replayFailed: replayFailed(sql),
      ofMessages: ofMessages(sql),
      claim: claim(sql, unreadable),
      record: record(sql),
      prune: prune(sql),
      hold: hold(sql),
      reseal: WebhookSecrets.reseal(sql, box)
    })
  })
).pipe(Layer.provide(UnreadableDeliveries.layer))
