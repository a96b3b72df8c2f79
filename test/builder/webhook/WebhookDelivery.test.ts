import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Ref } from "effect"
import { TestClock } from "effect/testing"
import { Webhook } from "standardwebhooks"
import * as MemoryBuilders from "../../../src/adapters/memory/builder/Builders.ts"
import * as MemoryWebhooks from "../../../src/adapters/memory/builder/Webhooks.ts"
import * as Transport from "../../../src/adapters/memory/builder/WebhookTransport.ts"
import { BuilderSettings } from "../../../src/builder/shared/BuilderSettings.ts"
import { builderDefaults } from "../../../src/config/Builder.ts"
import { WebhookDelivery } from "../../../src/builder/webhook/WebhookDelivery.ts"
import { eventMessage, RETRY_MILLIS, secretOf } from "../../../src/domain/Webhook.ts"
import { Webhooks } from "../../../src/ports/builder/Webhooks.ts"
import { WebhookTransport } from "../../../src/ports/builder/WebhookTransport.ts"
import { event, register } from "../../support/BuilderFixtures.ts"

const stores = MemoryWebhooks.layer.pipe(Layer.provideMerge(MemoryBuilders.layer))
const settingsWith = (webhooks: Partial<typeof builderDefaults.webhooks>) =>
  BuilderSettings.layer({
    ...builderDefaults,
    webhooks: { ...builderDefaults.webhooks, keepMillis: 60_000, ...webhooks }
  })
const world = Layer.mergeAll(stores, Transport.layer, settingsWith({}))
const onDemand = WebhookDelivery.layerOnDemand.pipe(Layer.provideMerge(world))
/** Its leases outlast the time that passes on the test's clock while a busy machine signs. */
const running = WebhookDelivery.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(stores, Transport.layer, settingsWith({ leaseMillis: 24 * 3_600_000 })))
)

const secret = secretOf(new Uint8Array(32).fill(7))

const create = (id: string) =>
  Webhooks.use((webhooks) =>
    webhooks.create(
      { id, builderId: "alpha", url: `https://${id}.example.com/`, description: "", events: [], createdAtMs: 0 },
      secret,
      10
    )
  )

const publish = (intentId: string) =>
  Webhooks.use((webhooks) => webhooks.publish("alpha", eventMessage(event("submitted", { id: intentId }))))

const answer = Effect.fnUntraced(function* (statusCode: number | undefined) {
  yield* Ref.update(yield* Transport.WebhookTransportState, (state) => ({
    ...state,
    answer: statusCode === undefined ? undefined : { statusCode, response: "said" }
  }))
})

const posted = Effect.flatMap(Transport.WebhookTransportState, (state) =>
  Effect.map(Ref.get(state), ({ posted: requests }) => requests)
)

const deliver = Effect.flatMap(WebhookDelivery, ({ runOnce }) => runOnce)

const only = (id: string) =>
  Effect.flatMap(Webhooks, (webhooks) => webhooks.deliveries("alpha", id, { limit: 10 })).pipe(
    Effect.map(([delivery]) => delivery ?? assert.fail("there is no delivery"))
  )

const webhook = (id: string) =>
  Effect.flatMap(Webhooks, (webhooks) => webhooks.find("alpha", id)).pipe(Effect.flatMap(Effect.fromOption))

describe("the delivery of webhooks", () => {
  it.effect("signs what the standard's own library verifies, at the time of sending", () =>
    Effect.gen(function* () {
      yield* register
      yield* create("one")
      // The library takes messages of the last five minutes alone.
      yield* TestClock.setTime(Date.now())
      yield* publish("a")
      assert.strictEqual(yield* deliver, 1)
      const [request] = yield* posted
      const verified = new Webhook(Redacted.value(secret)).verify(request?.body ?? "", { ...request?.headers })
      assert.deepInclude(verified, { type: "sweep.submitted" })
      assert.deepInclude(yield* only("one"), { state: "delivered" })
    }).pipe(Effect.provide(onDemand))
  )

  it.effect("tries again by the schedule, keeps each attempt, and gives up after the tenth", () =>
    Effect.gen(function* () {
      yield* register
      yield* create("one")
      yield* publish("a")
      yield* answer(undefined)
      assert.strictEqual(yield* deliver, 1)
      for (const delay of RETRY_MILLIS) {
        yield* TestClock.adjust(delay - 1)
        assert.strictEqual(yield* deliver, 0, `before ${delay}`)
        yield* answer(500)
        yield* TestClock.adjust(delay * 0.1 + 2)
        assert.strictEqual(yield* deliver, 1, `after ${delay}`)
      }
      yield* TestClock.adjust("30 days")
      assert.strictEqual(yield* deliver, 0)
      const { attempts, state } = yield* only("one")
      assert.strictEqual(state, "failed")
      assert.strictEqual(attempts.length, 10)
      assert.strictEqual(attempts[0]?.error, "turned off")
      assert.deepInclude(attempts[9], { statusCode: 500, response: "said" })
      const ids = (yield* posted).map(({ headers }) => headers["webhook-id"])
      assert.deepStrictEqual([...new Set(ids)], ["a:submitted"])
    }).pipe(Effect.provide(onDemand))
  )

  it.effect("sends again what was sent by a process that died before it kept the attempt", () =>
    Effect.gen(function* () {
      yield* register
      yield* create("one")
      yield* publish("a")
      const { claim } = yield* WebhookDelivery
      const transport = yield* WebhookTransport
      const [due] = yield* claim([], 0)
      yield* transport.post({ url: due?.url ?? "", headers: {}, body: due?.message.payload ?? "" })
      assert.strictEqual(yield* deliver, 0)
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual(yield* deliver, 1)
      const [first, second] = yield* posted
      assert.strictEqual(first?.body, second?.body)
      assert.strictEqual((yield* only("one")).state, "delivered")
    }).pipe(Effect.provide(onDemand))
  )

  it.effect("disables an endpoint at a 410, and one that failed for five days", () =>
    Effect.gen(function* () {
      yield* register
      yield* create("gone")
      yield* publish("a")
      yield* answer(410)
      yield* deliver
      assert.strictEqual((yield* webhook("gone")).disabled?.reason, "gone")
      assert.strictEqual((yield* only("gone")).state, "failed")

      yield* create("failing")
      yield* answer(500)
      let days = 0
      while ((yield* webhook("failing")).disabled === undefined) {
        assert.isAtMost(days, 5)
        yield* publish(`day ${days}`)
        yield* deliver
        yield* TestClock.adjust("1 day")
        days += 1
      }
      assert.strictEqual((yield* webhook("failing")).disabled?.reason, "failing")
      assert.strictEqual(days, 6)
      assert.strictEqual(yield* deliver, 0)
    }).pipe(Effect.provide(onDemand))
  )

  it.effect("goes on by itself, many at once, and what fails keeps nothing else waiting", () =>
    Effect.gen(function* () {
      yield* register
      yield* create("one")
      yield* create("two")
      for (let i = 0; i < 50; i++) yield* publish(`i${i}`)
      // Signatures are made outside the test clock, and the next messages go when those before them have gone.
      const later = Effect.promise(() => Bun.sleep(1)).pipe(Effect.andThen(TestClock.adjust("1 second")))
      yield* Effect.andThen(later, posted).pipe(Effect.repeat({ until: (all) => all.length >= 100 }))
      assert.strictEqual((yield* posted).length, 100)
      yield* TestClock.adjust("15 minutes")
      assert.deepStrictEqual(yield* Effect.flatMap(Webhooks, (w) => w.deliveries("alpha", "one", { limit: 5 })), [])
    }).pipe(Effect.provide(running))
  )

  it.effect("sets aside what waits for disabled endpoints, until there is no more, every 30 seconds", () => {
    const limits: Array<number> = []
    const counting = Layer.effect(
      Webhooks,
      Effect.map(Webhooks, (webhooks) => ({
        ...webhooks,
        hold: (limit: number) => Effect.sync(() => (limits.push(limit) % 3 === 0 ? 0 : limit))
      }))
    ).pipe(Layer.provide(stores))
    const layer = WebhookDelivery.layer.pipe(Layer.provide(Layer.mergeAll(counting, Transport.layer, settingsWith({}))))
    return Effect.gen(function* () {
      yield* TestClock.adjust("1 second")
      assert.strictEqual(limits.length, 3)
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual(limits.length, 6)
    }).pipe(Effect.provide(layer))
  })
})
