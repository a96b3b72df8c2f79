/** Rows of webhook endpoints, deliveries and attempts. */
import { Effect, Schema } from "effect"
import { DisabledReason, printable, WebhookEventType, WebhookMessageType } from "../../../domain/Webhook.ts"
import type { DeliveryAttempt, Delivery, DueDelivery, WebhookEndpoint } from "../../../ports/builder/Webhooks.ts"
import * as Rows from "./Rows.ts"
import type { Stored } from "./WebhookSecrets.ts"

const EndpointRow = Schema.Struct({
  id: Schema.String,
  builder_id: Schema.String,
  url: Schema.String,
  description: Schema.String,
  events: Schema.Array(WebhookEventType),
  previous_secret_until: Schema.NullOr(Rows.Millis),
  disabled_reason: Schema.NullOr(DisabledReason),
  disabled_at: Schema.NullOr(Rows.Millis),
  failing_since: Schema.NullOr(Rows.Millis),
  last_failure_at: Schema.NullOr(Rows.Millis),
  created_at: Rows.Millis
})

const toEndpoint = (row: typeof EndpointRow.Type): WebhookEndpoint => ({
  id: row.id,
  builderId: row.builder_id,
  url: row.url,
  description: row.description,
  events: row.events,
  createdAtMs: row.created_at,
  ...(row.disabled_reason !== null && row.disabled_at !== null
    ? { disabled: { reason: row.disabled_reason, atMs: row.disabled_at } }
    : {}),
  ...(row.failing_since !== null && row.last_failure_at !== null
    ? { failing: { sinceMs: row.failing_since, lastMs: row.last_failure_at } }
    : {}),
  ...Rows.present({ previousSecretUntilMs: row.previous_secret_until })
})

const decodeEndpoints = Rows.decode(EndpointRow)

export const endpoints = (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<WebhookEndpoint>> =>
  Effect.map(decodeEndpoints(rows), (decoded) => decoded.map(toEndpoint))

const DeliveryRow = Schema.Struct({
  id: Rows.RowId,
  endpoint_id: Schema.String,
  message_id: Schema.String,
  type: WebhookMessageType,
  payload: Schema.String,
  state: Schema.Literals(["pending", "delivered", "failed"]),
  due_at: Rows.Millis,
  created_at: Rows.Millis
})

const AttemptRow = Schema.Struct({
  delivery_id: Rows.RowId,
  at: Rows.Millis,
  duration_millis: Schema.Int,
  status_code: Schema.NullOr(Schema.Int),
  error: Schema.NullOr(Schema.String),
  response: Schema.NullOr(Schema.String)
})

const toAttempt = (row: typeof AttemptRow.Type): DeliveryAttempt => ({
  atMs: row.at,
  durationMs: row.duration_millis,
  // Rows of earlier releases may have control characters.
  ...Rows.present({
    statusCode: row.status_code,
    error: row.error,
    response: row.response === null ? null : printable(row.response)
  })
})

const decodeDeliveries = Rows.decode(DeliveryRow)
const decodeAttempts = Rows.decode(AttemptRow)

/** Deliveries with their attempts. Keeps the order of the rows. */
export const deliveries = Effect.fnUntraced(function* (
  rows: ReadonlyArray<unknown>,
  attemptRows: ReadonlyArray<unknown>
) {
  const attempts = Map.groupBy(yield* decodeAttempts(attemptRows), ({ delivery_id }) => delivery_id)
  return (yield* decodeDeliveries(rows)).map((row): Delivery => ({
    id: row.id,
    webhookId: row.endpoint_id,
    messageId: row.message_id,
    type: row.type,
    payload: row.payload,
    state: row.state,
    ...(row.state === "pending" ? { dueAtMs: row.due_at } : {}),
    createdAtMs: row.created_at,
    attempts: (attempts.get(row.id) ?? []).map(toAttempt)
  }))
})

const DueRow = Schema.Struct({
  id: Rows.RowId,
  endpoint_id: Schema.String,
  builder_id: Schema.String,
  url: Schema.String,
  is_failing: Schema.Boolean,
  message_id: Schema.String,
  type: WebhookMessageType,
  payload: Schema.String,
  failures: Schema.Int,
  secret: Schema.NullOr(Schema.String),
  secret_sealed: Schema.NullOr(Schema.String),
  previous_secret: Schema.NullOr(Schema.String),
  previous_secret_sealed: Schema.NullOr(Schema.String)
})

const decodeDue = Schema.decodeUnknownSync(DueRow)

/** A due delivery with its secrets as they are stored, the current one first. */
export interface StoredDue extends Omit<DueDelivery, "secrets"> {
  readonly stored: readonly [current: Stored, previous: Stored]
}

/** A due delivery. Throws for a row that cannot be read. */
export const due = (columns: unknown): StoredDue => {
  const row = decodeDue(columns)
  return {
    id: row.id,
    webhookId: row.endpoint_id,
    builderId: row.builder_id,
    url: row.url,
    isFailing: row.is_failing,
    message: { id: row.message_id, type: row.type, payload: row.payload },
    failures: row.failures,
    stored: [
      { plain: row.secret, sealed: row.secret_sealed },
      { plain: row.previous_secret, sealed: row.previous_secret_sealed }
    ]
  }
}

/** Throws for a pending delivery that cannot be sent as it is stored. */
export const assertReadable = Schema.decodeUnknownSync(
  Schema.Struct({ type: WebhookMessageType, payload: Schema.String, failures: Schema.Int })
)
