/**
 * Delivers messages to builders' webhooks, each at least once. Every attempt is recorded before the next one is due. If a process
 * dies in between, its lease expires and the message is sent again under the same id.
 */
import { Clock, Context, Effect, FiberSet, Latch, Layer } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { type DueDelivery, Webhooks } from "../../ports/builder/Webhooks.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as Background from "../../runtime/Background.ts"
import { BuilderSettings } from "../shared/BuilderSettings.ts"
import * as Attempts from "./Attempts.ts"

/** Deliveries that one statement prunes. */
const PRUNE_BATCH = 1_000

/** Pause between prunings, in milliseconds. */
const PRUNE_MILLIS = 600_000

/** Number of attempts of each builder. */
const placesOf = (open: ReadonlyArray<DueDelivery>): ReadonlyMap<string, number> =>
  new Map([...Map.groupBy(open, ({ builderId }) => builderId)].map(([id, attempts]) => [id, attempts.length]))

export class WebhookDelivery extends Context.Service<
  WebhookDelivery,
  {
    /** Leases due deliveries for the places that are free beside the open attempts of this process. */
    readonly claim: (open: Iterable<DueDelivery>) => Effect.Effect<ReadonlyArray<DueDelivery>, StoreUnavailable>
    /** Sends a leased delivery once and records the attempt. */
    readonly attempt: (due: DueDelivery) => Effect.Effect<void, StoreUnavailable>
    /** Claims once and attempts each claimed delivery. Returns their number. */
    readonly runOnce: Effect.Effect<number, StoreUnavailable>
  }
>()("sweep/builder/WebhookDelivery") {
  /** Runs only when its methods are called. */
  static readonly layerOnDemand = Layer.effect(
    WebhookDelivery,
    Effect.gen(function* () {
      const attempt = yield* Attempts.make
      const webhooks = yield* Webhooks
      const { concurrency, failingConcurrency, leaseMillis, perBuilder, perEndpoint } = (yield* BuilderSettings)
        .webhooks

      const claim = Effect.fn("WebhookDelivery.claim")(function* (begun: Iterable<DueDelivery>) {
        const open = [...begun]
        const limit = concurrency - open.length
        if (limit <= 0) return []
        const failing = open.filter(({ isFailing }) => isFailing)
        return yield* webhooks.claim({
          limit,
          failingLimit: Math.max(0, failingConcurrency - failing.length),
          perEndpoint,
          perBuilder,
          leaseMillis,
          open: placesOf(open)
        })
      })

      const runOnce = Effect.fn("WebhookDelivery.runOnce")(function* () {
        const due = yield* claim([])
        yield* Effect.forEach(due, attempt, { concurrency: "unbounded", discard: true })
        return due.length
      })

      return { claim, attempt, runOnce: runOnce() }
    })
  ).pipe(Layer.provide(Mac.layerWebCrypto), Layer.provide(SecureRandom.layerWebCrypto))

  /** Runs until the scope closes: every `pollMillis`, and as soon as one of `concurrency` places becomes free. */
  static readonly layer = Layer.effectDiscard(
    Effect.gen(function* () {
      const { attempt, claim } = yield* WebhookDelivery
      const webhooks = yield* Webhooks
      const { keepMillis, pollMillis } = (yield* BuilderSettings).webhooks
      const open = new Set<DueDelivery>()
      const sending = yield* FiberSet.make()
      const supervised = Background.supervisor("webhooks")
      const wake = yield* Latch.make()

      const round = Effect.gen(function* () {
        for (const due of yield* claim(open)) {
          open.add(due)
          const ended = Effect.andThen(
            Effect.sync(() => open.delete(due)),
            wake.open
          )
          yield* FiberSet.run(sending, supervised(attempt(due)).pipe(Effect.ensuring(ended)))
        }
      })
      yield* Background.loop(supervised, { pauseMillis: pollMillis, wake }, round)

      const prune = Effect.gen(function* () {
        const before = (yield* Clock.currentTimeMillis) - keepMillis
        yield* webhooks.prune(before, PRUNE_BATCH).pipe(Effect.repeat({ while: (gone) => gone === PRUNE_BATCH }))
      })
      yield* Background.loop(Background.supervisor("webhook_pruning"), { pauseMillis: PRUNE_MILLIS }, prune)
    })
  ).pipe(Layer.provideMerge(WebhookDelivery.layerOnDemand))
}
