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

/** Deliveries that one statement prunes or sets aside. */
const BATCH = 1_000

/** Pause between prunings, in milliseconds. */
const PRUNE_MILLIS = 600_000

/** Pause between rounds that set the deliveries of disabled endpoints aside, in milliseconds. */
const HOLD_MILLIS = 30_000

/**
 * Time for which an attempt holds its place, in milliseconds. A slower one goes on without a place, so endpoints that do not answer
 * delay others by this time, and not by the timeout of a request. With a timeout of 15 seconds, the number of open attempts is at most 8
 * times `concurrency`.
 */
const PLACE_MILLIS = 2_000

/** Number of attempts of each builder. */
const placesOf = (open: ReadonlyArray<DueDelivery>): ReadonlyMap<string, number> =>
  new Map([...Map.groupBy(open, ({ builderId }) => builderId)].map(([id, attempts]) => [id, attempts.length]))

export class WebhookDelivery extends Context.Service<
  WebhookDelivery,
  {
    /** Leases due deliveries for the places that are free. `open`: attempts of this process. `placed`: number of those that hold a place. */
    readonly claim: (
      open: ReadonlyArray<DueDelivery>,
      placed: number
    ) => Effect.Effect<ReadonlyArray<DueDelivery>, StoreUnavailable>
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

      const claim = Effect.fn("WebhookDelivery.claim")(function* (open: ReadonlyArray<DueDelivery>, placed: number) {
        const limit = concurrency - placed
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
        const due = yield* claim([], 0)
        yield* Effect.forEach(due, attempt, { concurrency: "unbounded", discard: true })
        return due.length
      })

      return { claim, attempt, runOnce: runOnce() }
    })
  ).pipe(Layer.provide(Mac.layerWebCrypto), Layer.provide(SecureRandom.layerWebCrypto))

  /** Runs until the scope closes: every `pollMillis`, and as soon as an attempt ends or gives its place back. */
  static readonly layer = Layer.effectDiscard(
    Effect.gen(function* () {
      const { attempt, claim } = yield* WebhookDelivery
      const webhooks = yield* Webhooks
      const { keepMillis, pollMillis } = (yield* BuilderSettings).webhooks
      const open = new Set<DueDelivery>()
      const placed = new Set<DueDelivery>()
      const sending = yield* FiberSet.make()
      const supervised = Background.supervisor("webhooks")
      const wake = yield* Latch.make()

      const round = Effect.gen(function* () {
        for (const due of yield* claim([...open], placed.size)) {
          open.add(due)
          placed.add(due)
          const free = Effect.andThen(
            Effect.sync(() => placed.delete(due)),
            wake.open
          )
          const ended = Effect.andThen(
            Effect.sync(() => open.delete(due)),
            free
          )
          // The fiber of the attempt ends the timer.
          const timed = Effect.andThen(Effect.forkChild(Effect.delay(free, PLACE_MILLIS)), attempt(due))
          yield* FiberSet.run(sending, supervised(timed).pipe(Effect.ensuring(ended)))
        }
      })
      yield* Background.loop(supervised, { pauseMillis: pollMillis, wake }, round)

      const prune = Effect.gen(function* () {
        const before = (yield* Clock.currentTimeMillis) - keepMillis
        yield* webhooks.prune(before, BATCH).pipe(Effect.repeat({ while: (gone) => gone === BATCH }))
      })
      yield* Background.loop(Background.supervisor("webhook_pruning"), { pauseMillis: PRUNE_MILLIS }, prune)

      const hold = webhooks.hold(BATCH).pipe(Effect.repeat({ while: (moved) => moved === BATCH }))
      yield* Background.loop(Background.supervisor("webhook_holding"), { pauseMillis: HOLD_MILLIS }, hold)
    })
  ).pipe(Layer.provideMerge(WebhookDelivery.layerOnDemand))
}
