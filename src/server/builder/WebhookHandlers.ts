/** A signed-in builder's webhooks. */
import { Clock, Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { BuilderApi } from "../../api/builder/BuilderApi.ts"
import { CurrentSession } from "../../api/builder/Middleware.ts"
import { WebhookDesk, type WithSecret } from "../../builder/webhook/WebhookDesk.ts"
import { DELIVERIES_LISTED } from "../../domain/Webhook.ts"
import { eventId, SweepStatus } from "../../domain/SweepEvent.ts"
import * as Uuid from "../../domain/Uuid.ts"
import { type WebhookEndpoint, Webhooks } from "../../ports/builder/Webhooks.ts"
import * as Failures from "./Failures.ts"
import { newestFirst, paged } from "./Pages.ts"

/** Failed deliveries that one request queues again. */
const REPLAYED = 500

const OK = { ok: true as const }

/** Messages that a text names: itself, and those about the sweep with this id. */
const messagesOf = (text: string) => [text, ...SweepStatus.literals.map((status) => eventId(text, status))]

const view = (endpoint: WebhookEndpoint, nowMs: number) => {
  const { builderId: _, disabled, failing, previousSecretUntilMs, ...shown } = endpoint
  return {
    ...shown,
    enabled: disabled === undefined,
    ...(disabled === undefined ? {} : { disabledReason: disabled.reason, disabledAtMs: disabled.atMs }),
    ...(failing === undefined ? {} : { failingSinceMs: failing.sinceMs }),
    ...(previousSecretUntilMs !== undefined && previousSecretUntilMs > nowMs ? { previousSecretUntilMs } : {})
  }
}

const shownNow = (endpoint: WebhookEndpoint) => Effect.map(Clock.currentTimeMillis, (nowMs) => view(endpoint, nowMs))

const withSecret = ({ endpoint, secret }: WithSecret) =>
  Effect.map(shownNow(endpoint), (webhook) => ({ webhook, secret: Redacted.value(secret) }))

export const webhooks = HttpApiBuilder.group(
  BuilderApi,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const desk = yield* WebhookDesk
    const store = yield* Webhooks
    const builderId = Effect.map(CurrentSession, (session) => session.builder.id)
    return handlers
      .handle(
        "list",
        Effect.fn("GET /me/webhooks")(function* () {
          return { webhooks: yield* Effect.forEach(yield* store.list(yield* builderId), shownNow) }
        }, Effect.catchTags(Failures.store))
      )
      .handle(
        "create",
        Effect.fn("POST /me/webhooks")(
          function* ({ payload }) {
            return yield* withSecret(yield* desk.create(yield* builderId, payload))
          },
          // Builders are never removed.
          Effect.catchTags({ UnknownBuilder: Effect.die, ...Failures.newWebhook })
        )
      )
      .handle(
        "patch",
        Effect.fn("PATCH /me/webhooks/:id")(function* ({ params, payload }) {
          return yield* shownNow(yield* desk.patch(yield* builderId, params.id, payload))
        }, Effect.catchTags(Failures.changedWebhook))
      )
      .handle(
        "remove",
        Effect.fn("DELETE /me/webhooks/:id")(function* ({ params }) {
          yield* desk.remove(yield* builderId, params.id)
          return OK
        }, Effect.catchTags(Failures.ownWebhook))
      )
      .handle(
        "rotateSecret",
        Effect.fn("POST /me/webhooks/:id/secret/rotate")(function* ({ params }) {
          return yield* withSecret(yield* desk.rotate(yield* builderId, params.id))
        }, Effect.catchTags(Failures.rotatedWebhook))
      )
      .handle(
        "test",
        Effect.fn("POST /me/webhooks/:id/test")(function* ({ params }) {
          return yield* desk.test(yield* builderId, params.id)
        }, Effect.catchTags(Failures.testedWebhook))
      )
      .handle(
        "deliveries",
        Effect.fn("GET /me/webhooks/:id/deliveries")(function* ({ params, query: { q, ...query } }) {
          const id = yield* builderId
          const { cursor: _, limit = DELIVERIES_LISTED, ...filter } = query
          const messages = q === undefined ? {} : { messageIds: messagesOf(Uuid.stored(q.trim())) }
          const page = yield* paged(
            { ...query, limit: Math.min(limit, DELIVERIES_LISTED) },
            (slice) => store.deliveries(id, params.id, { ...filter, ...newestFirst(slice), ...messages }),
            (delivery) => delivery.id
          )
          return { deliveries: page.rows, ...page.next }
        }, Effect.catchTags(Failures.ownWebhook))
      )
      .handle(
        "replayFailed",
        Effect.fn("POST /me/webhooks/:id/replay-failed")(function* ({ params, query }) {
          const queued = yield* store.replayFailed(yield* builderId, params.id, REPLAYED, query)
          return { queued, more: queued === REPLAYED }
        }, Effect.catchTags(Failures.openWebhook))
      )
      .handle(
        "replay",
        Effect.fn("POST /me/webhooks/deliveries/:id/replay")(function* ({ params }) {
          return yield* desk.replay(yield* builderId, params.id)
        }, Effect.catchTags(Failures.openWebhook))
      )
  })
)
