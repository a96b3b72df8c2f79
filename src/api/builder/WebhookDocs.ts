/** Texts and examples of the routes of builders' webhooks. */
import {
  bodyTooLarge,
  type ErrorRow,
  rateLimited,
  unauthorized,
  unavailable,
  unexpected,
  withErrors
} from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"

const id = "whk_1f0e8a52-6f0c-4e67-9d0f-6f3f4c0b7a11"
const intentId = "8e03978e-40d5-43dd-bc93-6894a57f9324"

const webhook = {
  id,
  url: "https://example.com/webhooks/sweeps",
  description: "production",
  events: ["sweep.delivered", "sweep.failed"],
  enabled: true,
  createdAtMs: 1767225600000
}

const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

const payload = {
  type: "sweep.delivered",
  timestamp: "2026-01-01T00:00:04.000Z",
  data: { id: `${intentId}:delivered`, intentId, status: "delivered", amountIn: "25000000" }
}

const delivery = {
  id: "42",
  webhookId: id,
  messageId: `${intentId}:delivered`,
  type: "sweep.delivered",
  payload: JSON.stringify(payload),
  state: "pending",
  dueAtMs: 1767225609000,
  createdAtMs: 1767225604000,
  attempts: [{ atMs: 1767225604000, durationMs: 87, statusCode: 503, response: "busy" }]
}

const sent = {
  ...delivery,
  messageId: "test_0d9f1f7c-4a53-4b0e-8b3c-0c6c6a1f2f10",
  type: "webhook.test",
  payload: JSON.stringify({ type: "webhook.test", timestamp: payload.timestamp, data: { webhookId: id } }),
  dueAtMs: delivery.createdAtMs,
  attempts: []
}

const ownErrors: ReadonlyArray<ErrorRow> = [unauthorized, rateLimited, unexpected, unavailable]
const malformed = (name: string): ErrorRow => [422, `${name}: <problem>`, "a parameter is malformed"]
const foreign: ErrorRow = [403, "forbidden_origin", "the request comes from a page of another site"]
const notFound: ErrorRow = [404, "not found", "the builder has no webhook or delivery with this id"]
const disabled: ErrorRow = [409, "webhook_disabled", "the webhook is disabled: enable it first"]
const testPending: ErrorRow = [
  409,
  "webhook_test_pending",
  "a test message of the webhook is pending: wait for its outcome, or send it again with `POST /me/webhooks/deliveries/:id/replay`"
]
const invalid: ErrorRow = [422, '{ "message", "issues": [{ "path", "message" }] }', "every problem of the request"]

export const list = documented({
  summary: "List webhooks",
  description: withErrors("Oldest first. Secrets are not shown again.", [malformed("query"), ...ownErrors]),
  response: { status: 200, body: { webhooks: [webhook] } }
})

export const create = documented({
  summary: "Add a webhook",
  description: withErrors(
    "Sends a message to the URL for each status that a sweep reaches, or for those in `events`. Requests are signed according to Standard Webhooks. Answer 2xx within 15 seconds. Redirects are not followed. Any other outcome is retried after 5 seconds, 5 and 30 minutes, 2, 5, 10, 14, 20 and 24 hours. The secret is shown once.",
    [foreign, [409, "webhook_limit", "the builder has 10 webhooks"], bodyTooLarge, invalid, ...ownErrors]
  ),
  request: { url: webhook.url, description: webhook.description, events: webhook.events },
  response: { status: 201, body: { webhook, secret } }
})

export const patch = documented({
  summary: "Change, pause or resume a webhook",
  description: withErrors(
    "A disabled webhook receives nothing, and new events are not queued for it. Messages that were queued before are sent once it is enabled, unless it was disabled for 30 days. A patch without a change is not counted.",
    [foreign, notFound, bodyTooLarge, invalid, ...ownErrors]
  ),
  request: { enabled: false },
  response: {
    status: 200,
    body: { ...webhook, enabled: false, disabledReason: "paused", disabledAtMs: 1767229200000 }
  }
})

export const remove = documented({
  summary: "Remove a webhook",
  description: withErrors("Removes its log and its queued messages as well.", [
    foreign,
    notFound,
    malformed("id"),
    ...ownErrors
  ]),
  response: { status: 200, body: { ok: true } }
})

export const rotateSecret = documented({
  summary: "Replace a webhook's secret",
  description: withErrors(
    "For 24 hours, requests have two signatures: one by the new secret and one by the replaced secret. The new secret is shown once.",
    [foreign, notFound, malformed("id"), ...ownErrors]
  ),
  response: { status: 200, body: { webhook: { ...webhook, previousSecretUntilMs: 1767312000000 }, secret } }
})

export const test = documented({
  summary: "Send a test message",
  description: withErrors(
    "Sends a `webhook.test`, regardless of `events`. Its outcome is in the deliveries. A webhook has one pending test message at a time, and 50 test messages in 24 hours.",
    [foreign, notFound, disabled, testPending, malformed("id"), ...ownErrors]
  ),
  response: { status: 202, body: sent }
})

export const deliveries = documented({
  summary: "List deliveries of a webhook",
  description: withErrors(
    "Newest first, each with its newest 20 attempts. A page has at most 50 deliveries, also if `limit` is higher. Each parameter narrows the list, and a row must match all of them. Deliveries are kept for 30 days.",
    [notFound, malformed("limit"), malformed("state"), ...ownErrors]
  ),
  response: { status: 200, body: { deliveries: [delivery] } }
})

export const replayFailed = documented({
  summary: "Send all failed messages of a webhook again",
  description: withErrors(
    "As `POST /me/webhooks/deliveries/:id/replay` does, for up to 500 failed deliveries, the oldest first. The parameters select them by type and time. Safe to repeat: a delivery that is queued is no longer failed.",
    [foreign, notFound, disabled, malformed("type"), ...ownErrors]
  ),
  response: { status: 202, body: { queued: 12, more: false } }
})

export const replay = documented({
  summary: "Send a message again",
  description: withErrors(
    "Sends the message at once under the same `webhook-id`, with the full schedule of retries, regardless of its state.",
    [foreign, notFound, disabled, malformed("id"), ...ownErrors]
  ),
  response: { status: 202, body: delivery }
})
