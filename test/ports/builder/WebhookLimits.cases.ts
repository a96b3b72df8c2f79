/** Cases of the contract of webhooks: limits of what an endpoint may gather, by test messages or while it is disabled. */
import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { MAX_TESTS, TESTS_MILLIS, type WebhookMessageType } from "../../../src/domain/Webhook.ts"
import { Webhooks } from "../../../src/ports/builder/Webhooks.ts"

const create = (id: string) =>
  Webhooks.use((webhooks) =>
    webhooks.create(
      { id, builderId: "alpha", url: `https://${id}.example.com`, description: "", events: [], createdAtMs: 0 },
      Redacted.make(`whsec_${id}`),
      10
    )
  )

const message = (id: string, type: WebhookMessageType = "sweep.submitted") => ({ id, type, payload: "{}" })

const publish = (id: string) => Webhooks.use((webhooks) => webhooks.publish("alpha", message(id)))

const claim = Webhooks.use((webhooks) =>
  webhooks.claim({ limit: 100, failingLimit: 100, perEndpoint: 100, perBuilder: 100, leaseMillis: 60_000 })
)

const claimed = Effect.map(claim, (due) => due.map((each) => `${each.webhookId} ${each.message.id}`))

export const cases = (test: (name: string, body: Effect.Effect<void, unknown, Webhooks>) => void) => {
  test(
    "are sent so many test messages in a day, and no more",
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      yield* create("one")
      yield* create("two")
      const send = (id: string, to = "one") => webhooks.send("alpha", to, message(id, "webhook.test"))
      for (let index = 0; index < MAX_TESTS; index += 1) {
        yield* send(`t${index}`)
        for (const due of yield* claim) {
          yield* webhooks.record(due, { atMs: 0, durationMs: 1, statusCode: 200 }, { _tag: "Delivered" }, () => ({}))
        }
        yield* TestClock.adjust(1_000)
      }
      const refused = yield* Effect.flip(send("more"))
      assert.deepInclude(refused, {
        _tag: "WebhookTestLimit",
        retryAfterMillis: TESTS_MILLIS - MAX_TESTS * 1_000
      })
      yield* publish("m")
      yield* send("other", "two")
      assert.sameMembers(yield* claimed, ["one m", "two m", "two other"])
      yield* TestClock.adjust(TESTS_MILLIS - MAX_TESTS * 1_000)
      yield* send("later")
    })
  )

  test(
    "keep what waits while they are disabled, until they are enabled",
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      yield* create("one")
      yield* create("two")
      for (const id of ["m1", "m2"]) yield* publish(id)
      yield* webhooks.modify("alpha", "one", { enabled: false })
      while ((yield* webhooks.hold(1)) > 0) continue
      assert.sameMembers(yield* claimed, ["two m1", "two m2"])
      const states = Effect.map(webhooks.deliveries("alpha", "one", { limit: 9 }), (rows) =>
        rows.map(({ messageId, state }) => `${messageId} ${state}`)
      )
      assert.deepStrictEqual(yield* states, ["m2 pending", "m1 pending"])
      yield* webhooks.modify("alpha", "one", { enabled: true })
      assert.deepStrictEqual(yield* claimed, ["one m1", "one m2"])
      assert.strictEqual(yield* webhooks.hold(9), 0)
    })
  )

  test(
    "forget what waits for one that is disabled for long",
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      yield* create("one")
      yield* create("two")
      for (const id of ["m1", "m2"]) yield* publish(id)
      yield* TestClock.adjust(5)
      yield* webhooks.modify("alpha", "one", { enabled: false })
      yield* webhooks.hold(9)
      assert.strictEqual(yield* webhooks.prune(5, 10), 0)
      assert.strictEqual(yield* webhooks.prune(6, 1), 1)
      assert.strictEqual(yield* webhooks.prune(6, 10), 1)
      yield* webhooks.modify("alpha", "one", { enabled: true })
      assert.deepStrictEqual(yield* claimed, ["two m1", "two m2"])
    })
  )
}
