/** Cases of the contract of webhooks: the order in which due messages are claimed, and the places that builders and endpoints may have. */
import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import type { Failing } from "../../../src/domain/Webhook.ts"
import { type DueDelivery, Webhooks } from "../../../src/ports/builder/Webhooks.ts"

const create = (id: string, builderId = "alpha") =>
  Webhooks.use((webhooks) =>
    webhooks.create(
      { id, builderId, url: "https://example.com", description: "", events: [], createdAtMs: 0 },
      Redacted.make(`whsec_${id}`),
      10
    )
  )

const publish = (id: string, builderId = "alpha") =>
  Webhooks.use((webhooks) => webhooks.publish(builderId, { id, type: "sweep.submitted", payload: "{}" }))

type Options = Parameters<Webhooks["Service"]["claim"]>[0]

const claim = (options: Partial<Options> = {}) =>
  Webhooks.use((webhooks) =>
    webhooks.claim({ limit: 32, failingLimit: 16, perEndpoint: 4, perBuilder: 8, leaseMillis: 3_600_000, ...options })
  )

const names = (due: ReadonlyArray<DueDelivery>) => due.map(({ message, webhookId }) => `${webhookId} ${message.id}`)

const claimed = (options: Partial<Options> = {}) => Effect.map(claim(options), names)

/** Ends the attempt of a delivery with success. */
const deliver = (due: DueDelivery | undefined) =>
  Webhooks.use((webhooks) =>
    due === undefined
      ? assert.fail("nothing is claimed")
      : webhooks.record(due, { atMs: 0, durationMs: 5, statusCode: 200 }, { _tag: "Delivered" }, () => ({}))
  )

/** Ends the attempt of a delivery with a failure of its endpoint. It is due again at once. */
const fail = (due: DueDelivery, { lastMs, sinceMs }: Failing) =>
  Webhooks.use((webhooks) =>
    webhooks.record(due, { atMs: 0, durationMs: 5, error: "silent" }, { _tag: "Retry", atMs: lastMs }, () => ({
      failing: { sinceMs, lastMs }
    }))
  )

/** Endpoints of alpha with messages to each of them. The first message of all comes before the second. */
const backlog = Effect.fnUntraced(function* (endpoints: number, messages: number) {
  for (let i = 0; i < endpoints; i++) yield* create(`a${i}`)
  for (let i = 0; i < messages; i++) yield* publish(`m${i}`)
})

/** An endpoint that fails since its first attempt, with three messages, at `atMs`. */
const failing = Effect.fnUntraced(function* (id: string, builderId: string) {
  yield* create(id, builderId)
  for (const each of ["m0", "m1", "m2"]) yield* publish(each, builderId)
  for (const due of yield* claim({ perEndpoint: 1 })) yield* fail(due, { sinceMs: 0, lastMs: 0 })
})

type Test = (name: string, body: Effect.Effect<void, unknown, Webhooks>) => void

const orderCases = (test: Test) => {
  test(
    "give a builder a share of the places, and the next one to the builder that has none",
    Effect.gen(function* () {
      yield* backlog(8, 8)
      const first = yield* claim()
      assert.deepStrictEqual(
        names(first),
        Array.from({ length: 8 }, (_, i) => `a${i} m0`)
      )
      yield* create("b", "beta")
      yield* TestClock.adjust("1 second")
      yield* publish("late", "beta")
      yield* deliver(first[0])
      assert.deepStrictEqual(yield* claimed({ limit: 1 }), ["b late"])
      assert.deepStrictEqual(yield* claimed(), ["a0 m1"])
      assert.deepStrictEqual(yield* claimed(), [])
    })
  )

  test(
    "take turns among builders, whose places count, before age",
    Effect.gen(function* () {
      yield* backlog(2, 4)
      assert.deepStrictEqual(yield* claimed({ limit: 2 }), ["a0 m0", "a1 m0"])
      yield* create("b", "beta")
      yield* TestClock.adjust("1 second")
      for (let i = 0; i < 4; i++) yield* publish(`m${i}`, "beta")
      assert.deepStrictEqual(yield* claimed(), [
        "b m0",
        "b m1",
        "a0 m1",
        "b m2",
        "a1 m1",
        "b m3",
        "a0 m2",
        "a1 m2",
        "a0 m3",
        "a1 m3"
      ])
    })
  )

  test(
    "pass over the messages that an endpoint has no place for",
    Effect.gen(function* () {
      yield* create("a0")
      for (let i = 0; i < 6; i++) yield* publish(`m${i}`)
      yield* create("a1")
      yield* TestClock.adjust("1 second")
      yield* publish("late")
      assert.deepStrictEqual(yield* claimed({ perEndpoint: 2 }), ["a0 m0", "a0 m1", "a1 late"])
    })
  )

  test(
    "count attempts that hold a place after their endpoint was removed",
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      yield* backlog(2, 4)
      const open = yield* claim({ limit: 5 })
      yield* webhooks.remove("alpha", "a0")
      assert.strictEqual(open.filter(({ builderId }) => builderId === "alpha").length, 5)
      assert.deepStrictEqual(yield* claimed({ open: new Map([["alpha", 8]]) }), [])
      assert.deepStrictEqual(yield* claimed({ open: new Map([["alpha", 7]]) }), ["a1 m2"])
    })
  )

  test(
    "never exceed a share, however many processes claim at once",
    Effect.gen(function* () {
      yield* backlog(8, 8)
      const together = Effect.map(
        Effect.forEach(Array.from({ length: 8 }), () => claim({ perEndpoint: 2, perBuilder: 5 }), {
          concurrency: "unbounded"
        }),
        (claims) => claims.flat()
      )
      const due = yield* together
      while (due.length < 5) due.push(...(yield* together))
      assert.deepStrictEqual(
        names(due).toSorted(),
        Array.from({ length: 5 }, (_, i) => `a${i} m0`)
      )
      assert.deepStrictEqual(yield* together, [])
    })
  )
}

const failingCases = (test: Test) => {
  test(
    "give an endpoint that fails one place, behind healthy ones",
    Effect.gen(function* () {
      yield* failing("bad", "alpha")
      yield* create("good")
      yield* create("b", "beta")
      yield* TestClock.adjust("1 second")
      for (const id of ["n0", "n1"]) yield* publish(id, "beta")
      yield* publish("n0")
      const due = yield* claim()
      assert.deepStrictEqual(names(due), ["b n0", "good n0", "b n1", "bad m0"])
      assert.deepStrictEqual(
        due.map(({ isFailing }) => isFailing),
        [false, false, false, true]
      )
      assert.deepStrictEqual(yield* claimed(), [])
      yield* deliver(due[3])
      assert.deepStrictEqual(yield* claimed(), ["bad m1", "bad m2", "bad n0"])
    })
  )

  test(
    "limit the places of all that fail, and try the one first that waits for longest",
    Effect.gen(function* () {
      yield* failing("x", "alpha")
      yield* failing("y", "beta")
      yield* TestClock.adjust(5)
      assert.deepStrictEqual(yield* claim({ failingLimit: 0 }), [])
      const [x, ...others] = yield* claim({ failingLimit: 1 })
      assert.deepStrictEqual(x === undefined ? [] : names([x, ...others]), ["x m0"])
      yield* fail(x ?? assert.fail("nothing is claimed"), { sinceMs: 0, lastMs: 5 })
      yield* TestClock.adjust(5)
      assert.deepStrictEqual(yield* claimed({ failingLimit: 1 }), ["y m0"])
    })
  )

  test(
    "give an endpoint that fails its turn after a minute, though others fill the places",
    Effect.gen(function* () {
      yield* failing("bad", "alpha")
      yield* create("b", "beta")
      yield* TestClock.adjust(59_999)
      for (let i = 0; i < 4; i++) yield* publish(`n${i}`, "beta")
      assert.deepStrictEqual(yield* claimed({ limit: 1 }), ["b n0"])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* claimed({ limit: 1 }), ["bad m0"])
      assert.deepStrictEqual(yield* claimed(), ["b n1", "b n2", "b n3"])
    })
  )
}

export const cases = (test: Test) => {
  orderCases(test)
  failingCases(test)

  test(
    "take one test message at a time",
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      yield* create("one")
      yield* create("two")
      const send = (id: string, webhookId = "one") =>
        webhooks.send("alpha", webhookId, { id, type: "webhook.test", payload: "{}" })
      const results = yield* Effect.forEach(["t0", "t1", "t2", "t3"], (id) => Effect.result(send(id)), {
        concurrency: "unbounded"
      })
      const sent = results.flatMap((result) => (result._tag === "Success" ? [result.success] : []))
      assert.strictEqual(sent.length, 1)
      assert.strictEqual((yield* Effect.flip(send("t4")))._tag, "WebhookTestPending")
      assert.deepStrictEqual(yield* send(sent[0]?.messageId ?? ""), sent[0])
      yield* send("t0", "two")
      yield* publish("m")
      const [due] = yield* claim({ limit: 1 })
      yield* deliver(due)
      assert.strictEqual((yield* send("t5")).state, "pending")
    })
  )
}
