/** Sends one webhook message, signed as Standard Webhooks requires, and records the attempt. */
import { Clock, Effect, Random, type Redacted } from "effect"
import { Mac } from "effect/crypto"
import {
  type AttemptOutcome,
  health,
  keyOf,
  nextStep,
  signedContent,
  type WebhookMessage
} from "../../domain/Webhook.ts"
import { type DeliveryAttempt, type DueDelivery, Webhooks } from "../../ports/builder/Webhooks.ts"
import { WebhookTransport } from "../../ports/builder/WebhookTransport.ts"
import * as RecentTraces from "../../telemetry/RecentTraces.ts"
import * as SweepTrace from "../../telemetry/SweepTrace.ts"
import { WEBHOOK_ATTEMPTS, WEBHOOK_DURATION } from "../../telemetry/metrics/Queues.ts"

/** Makes `attempt(due)`. It fails only when the store does. */
export const make = Effect.gen(function* () {
  const mac = yield* Mac.Mac
  const transport = yield* WebhookTransport
  const webhooks = yield* Webhooks

  const signature = Effect.fnUntraced(function* (content: Uint8Array, secret: Redacted.Redacted) {
    const tag = yield* mac.sign(yield* Mac.key(Mac.hmacSha256, keyOf(secret)), content)
    return `v1,${tag.toBase64()}`
  }, Effect.orDie)

  const headersOf = Effect.fnUntraced(function* (
    { id, payload }: WebhookMessage,
    secrets: ReadonlyArray<Redacted.Redacted>,
    nowMs: number
  ) {
    const seconds = Math.floor(nowMs / 1000)
    const content = signedContent(id, seconds, payload)
    const signatures = yield* Effect.forEach(secrets, (secret) => signature(content, secret))
    return {
      "content-type": "application/json",
      "user-agent": "token-sweep-webhooks/1",
      "webhook-id": id,
      "webhook-timestamp": String(seconds),
      "webhook-signature": signatures.join(" ")
    }
  })

  const send = Effect.fnUntraced(function* ({ message, secrets, url }: DueDelivery) {
    const atMs = yield* Clock.currentTimeMillis
    const headers = yield* headersOf(message, secrets, atMs)
    const outcome = yield* transport
      .post({ url, headers, body: message.payload })
      .pipe(Effect.catchTag("SendFailed", ({ detail }) => Effect.succeed({ error: detail })))
    const attempt: DeliveryAttempt = { atMs, durationMs: (yield* Clock.currentTimeMillis) - atMs, ...outcome }
    return attempt
  })

  const record = Effect.fnUntraced(function* (due: DueDelivery, attempt: DeliveryAttempt) {
    const nowMs = yield* Clock.currentTimeMillis
    const outcome: AttemptOutcome = attempt.statusCode === undefined ? {} : { statusCode: attempt.statusCode }
    const next = nextStep(outcome, due.failures, nowMs, yield* Random.next)
    yield* webhooks.record(due, attempt, next, (before) => health(before, outcome, nowMs))
    const answered = next._tag === "Delivered" ? "delivered" : "refused"
    yield* WEBHOOK_ATTEMPTS.record(1, { outcome: attempt.statusCode === undefined ? "unreachable" : answered })
    yield* WEBHOOK_DURATION.record(attempt.durationMs / 1_000, {})
    yield* Effect.logDebug("webhook.attempted").pipe(Effect.annotateLogs({ next: next._tag, ...outcome }))
  })

  return Effect.fn("WebhookDelivery.attempt")(
    // An attempt that was sent is recorded even when the service stops meanwhile.
    (due: DueDelivery) =>
      Effect.uninterruptibleMask((restore) => Effect.flatMap(restore(send(due)), (sent) => record(due, sent))),
    (effect, due) =>
      Effect.flatMap(RecentTraces.find(due.message.id), (trace) =>
        SweepTrace.within("webhook.attempted", trace)(effect)
      ).pipe(Effect.annotateLogs({ webhookId: due.webhookId, deliveryId: due.id, messageId: due.message.id }))
  )
})
