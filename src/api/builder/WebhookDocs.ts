/** What the documentation says about the routes of builders' webhooks. */
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
const foreign: ErrorRow = [403, "forbidden_origin", "a browser sent it from another site than the dashboard"]
const notFound: ErrorRow = [404, "not found", "the builder has none of this id"]
const disabled: ErrorRow = [409, "webhook_disabled", "the webhook is disabled: enable it first"]
const invalid: ErrorRow = [422, '{ "message", "issues": [{ "path", "message" }] }', "every problem of the request"]

export const list = documented({
  summary: "Webhooks",
  description: withErrors("Oldest first; secrets are not shown again.", [malformed("query"), ...ownErrors]),
  response: { status: 200, body: { webhooks: [webhook] } }
})

export const create = documented({
  summary: "Add a webhook",
  description: withErrors(
    "Tells the URL of each status that a sweep reaches, or of those in `events`. Requests are signed as Standard Webhooks asks. Answer 2xx within 15 seconds; redirects are not followed. Anything else is tried again after 5 seconds, 5 and 30 minutes, 2, 5, 10, 14, 20 and 24 hours. The secret is shown once.",
    [foreign, [409, "webhook_limit", "the builder has 10 webhooks"], bodyTooLarge, invalid, ...ownErrors]
  ),
  request: { url: webhook.url, description: webhook.description, events: webhook.events },
  response: { status: 201, body: { webhook, secret } }
})

export const patch = documented({
  summary: "Change, pause or resume a webhook",
  description: withErrors(
    "While it is disabled nothing is sent, and what happens is not kept for it; what was waiting before goes on when it is enabled.",
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
  description: withErrors("With its log and all that waits for it.", [
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
    "For 24 hours requests carry two signatures, of the new and of the replaced secret. The new one is shown once.",
    [foreign, notFound, malformed("id"), ...ownErrors]
  ),
  response: { status: 200, body: { webhook: { ...webhook, previousSecretUntilMs: 1767312000000 }, secret } }
})

export const test = documented({
  summary: "Send a test message",
  description: withErrors("A `webhook.test`, whatever the webhook subscribes to; look for it in its deliveries.", [
    foreign,
    notFound,
    disabled,
    malformed("id"),
    ...ownErrors
  ]),
  response: { status: 202, body: sent }
})

export const deliveries = documented({
  summary: "What was sent to a webhook, newest first",
  description: withErrors(
    "With every attempt, for 30 days. 100 unless `limit` says otherwise; `nextCursor` of a page is the `cursor` of the next.",
    [notFound, malformed("limit"), ...ownErrors]
  ),
  response: { status: 200, body: { deliveries: [delivery] } }
})

export const replay = documented({
  summary: "Send a message again",
  description: withErrors("Now, under the same `webhook-id`, and under the whole schedule, whatever became of it.", [
    foreign,
    notFound,
    disabled,
    malformed("id"),
    ...ownErrors
  ]),
  response: { status: 202, body: delivery }
})
