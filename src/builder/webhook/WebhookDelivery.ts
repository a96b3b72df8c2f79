/**
 * Sends builders what waits for their webhooks, signed as Standard Webhooks asks, at least once each. Every attempt is kept
 * before the next one is due. A process that dies in between leaves a lease, which ends by itself: the message is sent again
 * under the same id.
 */
import { Clock, Context, Effect, FiberSet, Latch, Layer, Random, type Redacted } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import {
  type AttemptOutcome,
  health,
  keyOf,
  nextStep,
  signedContent,
  type WebhookMessage
} from "../../domain/Webhook.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { type Attempt, type DueDelivery, Webhooks } from "../../ports/builder/Webhooks.ts"
import { WebhookTransport } from "../../ports/builder/WebhookTransport.ts"
import { BuilderSettings } from "../shared/BuilderSettings.ts"

const PRUNE_BATCH = 1_000

/** How often what is long over is looked for. */
const PRUNE_MILLIS = 600_000

export class WebhookDelivery extends Context.Service<
  WebhookDelivery,
  {
    /** Leases what is due, up to `limit`. */
    readonly claim: (limit: number) => Effect.Effect<ReadonlyArray<DueDelivery>, StoreUnavailable>
    /** Sends a leased delivery, and keeps what came of it. */
    readonly attempt: (due: DueDelivery) => Effect.Effect<void, StoreUnavailable>
    /** Attempts everything that is due, as far as one claim goes; returns how many deliveries that was. */
    readonly runOnce: Effect.Effect<number, StoreUnavailable>
  }
>()("sweep/builder/WebhookDelivery") {
  /** Sends when told to. */
  static readonly layerOnDemand = Layer.effect(
    WebhookDelivery,
    Effect.gen(function* () {
      const mac = yield* Mac.Mac
      const transport = yield* WebhookTransport
      const webhooks = yield* Webhooks
      const { webhooks: settings } = yield* BuilderSettings

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
        const attempt: Attempt = { atMs, durationMs: (yield* Clock.currentTimeMillis) - atMs, ...outcome }
        return attempt
      })

      const keep = Effect.fnUntraced(function* (due: DueDelivery, attempt: Attempt) {
        const nowMs = yield* Clock.currentTimeMillis
        const outcome: AttemptOutcome = attempt.statusCode === undefined ? {} : { statusCode: attempt.statusCode }
        const next = nextStep(outcome, due.failures, nowMs, yield* Random.next)
        yield* webhooks.record(due, attempt, next, (before) => health(before, outcome, nowMs))
        yield* Effect.logDebug("webhook attempted", { next: next._tag, ...outcome })
      })

      const attempt: WebhookDelivery["Service"]["attempt"] = Effect.fn("WebhookDelivery.attempt")(
        // What was sent is kept, even when the service stops meanwhile.
        (due) => Effect.uninterruptibleMask((restore) => Effect.flatMap(restore(send(due)), (sent) => keep(due, sent))),
        (effect, due) =>
          Effect.annotateLogs(effect, { webhookId: due.webhookId, deliveryId: due.id, messageId: due.message.id })
      )

      const claim = Effect.fn("WebhookDelivery.claim")((limit: number) =>
        webhooks.claim({ limit, perEndpoint: settings.perEndpoint, leaseMillis: settings.leaseMillis })
      )

      const runOnce = Effect.fn("WebhookDelivery.runOnce")(function* () {
        const due = yield* claim(settings.concurrency)
        yield* Effect.forEach(due, attempt, { concurrency: "unbounded", discard: true })
        return due.length
      })

      return { claim, attempt, runOnce: runOnce() }
    })
  ).pipe(Layer.provide(Mac.layerWebCrypto), Layer.provide(SecureRandom.layerWebCrypto))

  /** Sends for as long as the scope lives, as many at once as the settings say, each as soon as there is a place for it. */
  static readonly layer = Layer.effectDiscard(
    Effect.gen(function* () {
      const { attempt, claim } = yield* WebhookDelivery
      const webhooks = yield* Webhooks
      const { concurrency, keepMillis, pollMillis } = (yield* BuilderSettings).webhooks
      const sending = yield* FiberSet.make()
      const freed = yield* Latch.make()

      const round = Effect.gen(function* () {
        // Closed before the queue is read, so that a place that is freed meanwhile is not missed.
        yield* freed.close
        const places = concurrency - (yield* FiberSet.size(sending))
        const due = places > 0 ? yield* claim(places) : []
        for (const each of due) {
          yield* FiberSet.run(sending, survive("a webhook", attempt(each)).pipe(Effect.ensuring(freed.open)))
        }
      })

      yield* survive("webhook delivery", round).pipe(
        Effect.andThen(Effect.timeoutOption(freed.await, pollMillis)),
        Effect.forever,
        Effect.forkScoped
      )

      const prune = Effect.gen(function* () {
        const before = (yield* Clock.currentTimeMillis) - keepMillis
        yield* webhooks.prune(before, PRUNE_BATCH).pipe(Effect.repeat({ while: (gone) => gone === PRUNE_BATCH }))
      })
      yield* survive("webhook pruning", prune).pipe(
        Effect.andThen(Effect.sleep(PRUNE_MILLIS)),
        Effect.forever,
        Effect.forkScoped
      )
    })
  ).pipe(Layer.provideMerge(WebhookDelivery.layerOnDemand))
}

/** Turns failures and defects of `work` into a log line: all of it may be repeated. */
const survive = <A, E, R>(name: string, work: Effect.Effect<A, E, R>): Effect.Effect<void, never, R> =>
  work.pipe(
    Effect.asVoid,
    Effect.catchCause((cause) => Effect.logError(`${name} failed and will be tried again`, cause))
  )
