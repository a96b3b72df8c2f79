/** Cases of the contract of webhooks: lists of deliveries by state, and failed deliveries that are queued again together. */
import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Webhooks } from "../../../src/ports/builder/Webhooks.ts"

const create = (id: string, builderId = "alpha", createdAtMs = 0) =>
  Webhooks.use((webhooks) =>
    webhooks.create(
      { id, builderId, url: `https://${createdAtMs}.example.com`, description: "", events: [], createdAtMs },
      Redacted.make(`whsec_${id}`),
      10
    )
  )

const publish = (id: string) =>
  Webhooks.use((webhooks) => webhooks.publish("alpha", { id, type: "sweep.submitted", payload: "{}" }))

const claim = Webhooks.use((webhooks) => webhooks.claim({ limit: 100, perEndpoint: 100, leaseMillis: 60_000 }))

const DELIVERED = [{ atMs: 0, durationMs: 5, statusCode: 200 }, { _tag: "Delivered" }] as const
const GIVEN_UP = [{ atMs: 0, durationMs: 7, error: "ECONNREFUSED" }, { _tag: "GivenUp" }] as const

/** Of the messages to endpoint `one`, the second is delivered, and the others fail. */
const attempted = Effect.gen(function* () {
  const webhooks = yield* Webhooks
  yield* create("one")
  yield* create("two", "alpha", 1)
  yield* create("beta's", "beta", 2)
  for (const id of ["m1", "m2", "m3"]) yield* publish(id)
  for (const due of yield* claim) {
    const [attempt, next] = due.message.id === "m2" ? DELIVERED : GIVEN_UP
    if (due.webhookId === "one") yield* webhooks.record(due, attempt, next, () => ({}))
  }
})

const ofState = (state: "failed" | "delivered" | "pending") =>
  Webhooks.use((webhooks) =>
    Effect.map(webhooks.deliveries("alpha", "one", { limit: 10, state }), (found) =>
      found.map(({ messageId }) => messageId)
    )
  )

export const cases = (test: (name: string, body: Effect.Effect<void, unknown, Webhooks>) => void) => {
  test(
    "list deliveries of a state, and find those of messages",
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      yield* attempted
      assert.deepStrictEqual(yield* ofState("failed"), ["m3", "m1"])
      assert.deepStrictEqual(yield* ofState("delivered"), ["m2"])
      const found = yield* webhooks.ofMessages("alpha", ["m1", "m2", "unknown"])
      assert.sameMembers(
        found.map(({ messageId, state, webhookId }) => `${webhookId} ${messageId} ${state}`),
        ["one m1 failed", "two m1 pending", "one m2 delivered", "two m2 pending"]
      )
      assert.deepStrictEqual(yield* webhooks.ofMessages("beta", ["m1"]), [])
    })
  )

  test(
    "queue again what failed, once each",
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      yield* attempted
      assert.strictEqual((yield* Effect.flip(webhooks.replayFailed("beta", "one", 9)))._tag, "WebhookNotFound")
      assert.strictEqual(yield* webhooks.replayFailed("alpha", "one", 1), 1)
      assert.deepStrictEqual(yield* ofState("failed"), ["m3"])
      assert.strictEqual(yield* webhooks.replayFailed("alpha", "one", 9), 1)
      assert.strictEqual(yield* webhooks.replayFailed("alpha", "one", 9), 0)
      assert.deepStrictEqual(yield* ofState("pending"), ["m3", "m1"])
      assert.deepStrictEqual(
        (yield* claim).map(({ message, webhookId }) => `${webhookId} ${message.id}`),
        ["one m1", "one m3"]
      )
      yield* webhooks.modify("alpha", "one", { enabled: false })
      assert.strictEqual((yield* Effect.flip(webhooks.replayFailed("alpha", "one", 9)))._tag, "WebhookDisabled")
    })
  )
}
