/** Cases of the contract of webhooks: lists of deliveries by state, and deliveries that are queued again, one or all that failed. */
import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { ATTEMPTS_LISTED, type DeliveryFilter, Webhooks } from "../../../src/ports/builder/Webhooks.ts"

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

const LEASE = 60_000

const PLACES = { limit: 100, failingLimit: 100, perEndpoint: 100, perBuilder: 100 }

const claim = Webhooks.use((webhooks) => webhooks.claim({ ...PLACES, leaseMillis: LEASE }))

const claimOne = Effect.map(claim, ([due]) => due ?? assert.fail("no delivery is due"))

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
    "send again what their builder asks for, as from the start",
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      yield* create("one")
      yield* publish("m")
      const due = yield* claimOne
      yield* webhooks.record(due, ...GIVEN_UP, () => ({ failing: { sinceMs: 0, lastMs: 0 } }))
      assert.deepStrictEqual(yield* claim, [])
      assert.strictEqual((yield* Effect.flip(webhooks.replay("beta", due.id)))._tag, "WebhookNotFound")
      yield* TestClock.adjust(LEASE)
      const replayed = yield* webhooks.replay("alpha", due.id)
      assert.deepInclude(replayed, { state: "pending", dueAtMs: LEASE })
      assert.strictEqual(replayed.attempts.length, 1)
      const again = yield* claimOne
      assert.deepInclude(again, { id: due.id, failures: 0, message: due.message })
      yield* webhooks.record(again, ...DELIVERED, () => ({}))
      assert.strictEqual((yield* webhooks.replay("alpha", due.id)).attempts.length, 2)
      assert.strictEqual((yield* claimOne).message.id, "m")
    })
  )

  test(
    "list the newest attempts of each delivery",
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      yield* create("one")
      yield* publish("many")
      yield* publish("few")
      const [many, few] = yield* claim
      assert.deepStrictEqual([many?.message.id, few?.message.id], ["many", "few"])
      if (many === undefined || few === undefined) return
      const attempts = [...Array(ATTEMPTS_LISTED + 5).keys()].map((atMs) => ({
        atMs,
        durationMs: 1,
        error: "ECONNREFUSED"
      }))
      for (const attempt of attempts) yield* webhooks.record(many, attempt, { _tag: "GivenUp" }, () => ({}))
      yield* webhooks.record(few, ...GIVEN_UP, () => ({}))

      const newest = attempts.slice(-ATTEMPTS_LISTED)
      const listed = yield* webhooks.deliveries("alpha", "one", { limit: 10 })
      assert.deepStrictEqual(
        listed.map((delivery) => delivery.attempts),
        [[GIVEN_UP[0]], newest]
      )
      const found = yield* webhooks.ofMessages("alpha", ["many"])
      assert.deepStrictEqual(found[0]?.attempts, newest)
      assert.deepStrictEqual((yield* webhooks.replay("alpha", many.id)).attempts, newest)
    })
  )

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

  test(
    "list and queue again what failed, by type, message and time",
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      yield* create("one")
      const types = ["sweep.submitted", "sweep.failed", "sweep.failed"] as const
      for (const [index, type] of types.entries()) {
        yield* webhooks.publish("alpha", { id: `m${index}`, type, payload: "{}" })
        yield* TestClock.adjust("1 second")
      }
      for (const due of yield* claim) yield* webhooks.record(due, ...GIVEN_UP, () => ({}))
      const found = (page: Partial<Parameters<typeof webhooks.deliveries>[2]>) =>
        Effect.map(webhooks.deliveries("alpha", "one", { limit: 10, ...page }), (rows) =>
          rows.map(({ messageId }) => messageId)
        )
      assert.deepStrictEqual(yield* found({ type: "sweep.failed" }), ["m2", "m1"])
      assert.deepStrictEqual(yield* found({ type: "sweep.failed", limit: 1, state: "failed" }), ["m2"])
      assert.deepStrictEqual(yield* found({ fromMs: 1_000, toMs: 2_000 }), ["m1"])
      assert.deepStrictEqual(yield* found({ messageIds: ["m0", "m2"], state: "failed" }), ["m2", "m0"])
      assert.deepStrictEqual(yield* found({ messageIds: ["m0"], type: "sweep.failed" }), [])
      const [newest] = yield* webhooks.deliveries("alpha", "one", { limit: 1 })
      assert.deepStrictEqual(yield* found({ before: newest?.id ?? "", state: "failed" }), ["m1", "m0"])

      const replayed = (limit: number, filter: DeliveryFilter) => webhooks.replayFailed("alpha", "one", limit, filter)
      assert.strictEqual(yield* replayed(9, { type: "sweep.delivered" }), 0)
      assert.strictEqual(yield* replayed(9, { type: "sweep.failed", fromMs: 2_000 }), 1)
      assert.deepStrictEqual(yield* found({ state: "pending" }), ["m2"])
      assert.strictEqual(yield* replayed(1, {}), 1)
      assert.deepStrictEqual(yield* found({ state: "failed" }), ["m1"])
      assert.strictEqual(yield* replayed(9, { toMs: 1_000 }), 0)
      assert.strictEqual(yield* replayed(9, { toMs: 1_001 }), 1)
    })
  )
}
