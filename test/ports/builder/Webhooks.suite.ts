/** Contract of every store of webhooks. Each test gets a store of its own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import type { WebhookMessage } from "../../../src/domain/Webhook.ts"
import type { Builders } from "../../../src/ports/builder/Builders.ts"
import { type DueDelivery, type WebhookEndpoint, Webhooks } from "../../../src/ports/builder/Webhooks.ts"
import { register } from "../../support/BuilderFixtures.ts"
import { cases as limitCases } from "./WebhookLimits.cases.ts"
import { cases as replayCases } from "./WebhookReplays.cases.ts"
import { cases as turnCases } from "./WebhookTurns.cases.ts"

const LEASE = 60_000

const endpoint = (id: string, changes: Partial<WebhookEndpoint> = {}): WebhookEndpoint => ({
  id,
  builderId: "alpha",
  url: `https://${id}.example.com/hook`,
  description: "",
  events: [],
  createdAtMs: 0,
  ...changes
})

const message = (id: string, type: WebhookMessage["type"] = "sweep.submitted"): WebhookMessage => ({
  id,
  type,
  payload: JSON.stringify({ type, id })
})

const secret = (text: string) => Redacted.make(`whsec_${text}`)

const create = (id: string, changes: Partial<WebhookEndpoint> = {}) =>
  Webhooks.use((webhooks) => webhooks.create(endpoint(id, changes), secret(id), 10))

const publish = (id: string, type?: WebhookMessage["type"]) =>
  Webhooks.use((webhooks) => webhooks.publish("alpha", message(id, type)))

const claim = (limit = 100, perEndpoint = 100) =>
  Webhooks.use((webhooks) =>
    webhooks.claim({ limit, failingLimit: limit, perEndpoint, perBuilder: 100, leaseMillis: LEASE })
  )

const names = (due: ReadonlyArray<DueDelivery>) => due.map((each) => `${each.webhookId} ${each.message.id}`)

const healthy = () => ({})
const failing = (sinceMs: number, lastMs: number) => () => ({ failing: { sinceMs, lastMs } })
const ok = { atMs: 0, durationMs: 5, statusCode: 200, response: "fine \0" }
const refused = { atMs: 0, durationMs: 7, error: "ECONNREFUSED" }

const the = <A>(value: A | undefined): A => value ?? assert.fail("there is none")

export const suite = <E>(adapter: string, stores: () => Layer.Layer<Builders | Webhooks, E>) =>
  describe(`webhooks on ${adapter}`, () => {
    const test = (name: string, body: Effect.Effect<void, unknown, Builders | Webhooks>) =>
      it.effect(name, () => Effect.andThen(register, body).pipe(Effect.provide(Layer.fresh(stores()))))

    test(
      "belong to their builder, who alone finds and changes them",
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        yield* create("one", { events: ["sweep.failed"], description: "mine" })
        yield* create("two", { createdAtMs: 1 })
        assert.deepStrictEqual(yield* webhooks.list("alpha"), [
          endpoint("one", { events: ["sweep.failed"], description: "mine" }),
          endpoint("two", { createdAtMs: 1 })
        ])
        assert.deepStrictEqual(yield* webhooks.list("beta"), [])
        assert.deepStrictEqual(yield* webhooks.find("beta", "one"), Option.none())
        const foreign: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }>> = [
          webhooks.modify("beta", "one", { url: "https://evil.example.com" }),
          webhooks.remove("beta", "one"),
          webhooks.rotate("beta", "one", secret("x"), 1),
          webhooks.send("beta", "one", message("x")),
          webhooks.deliveries("beta", "one", { limit: 1 }),
          webhooks.replay("beta", "1"),
          webhooks.replay("alpha", "none")
        ]
        for (const each of foreign) assert.strictEqual((yield* Effect.flip(each))._tag, "WebhookNotFound")
        yield* TestClock.adjust(5)
        const changed = yield* webhooks.modify("alpha", "one", { url: "https://x.example.com/", enabled: false })
        const disabled = { reason: "paused", atMs: 5 } as const
        assert.deepStrictEqual(changed, {
          ...endpoint("one", { events: ["sweep.failed"], description: "mine" }),
          url: "https://x.example.com/",
          disabled
        })
        yield* TestClock.adjust(5)
        const again = yield* webhooks.modify("alpha", "one", { events: [], enabled: false })
        assert.deepStrictEqual(again, { ...changed, events: [] })
        assert.isUndefined((yield* webhooks.modify("alpha", "one", { enabled: true })).disabled)
        yield* webhooks.remove("alpha", "one")
        assert.deepStrictEqual(yield* webhooks.find("alpha", "one"), Option.none())
        const unknown = yield* Effect.flip(webhooks.create(endpoint("x", { builderId: "nobody" }), secret("x"), 10))
        assert.strictEqual(unknown._tag, "UnknownBuilder")
      })
    )

    test(
      "are no more than allowed, however many are created at once",
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const results = yield* Effect.forEach(
          Array.from({ length: 12 }, (_, i) => i),
          (i) => Effect.result(webhooks.create(endpoint(`e${i}`), secret("x"), 3)),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(results.filter(({ _tag }) => _tag === "Success").length, 3)
        assert.strictEqual((yield* webhooks.list("alpha")).length, 3)
        yield* webhooks.create(endpoint("other", { builderId: "beta" }), secret("x"), 3)
      })
    )

    test(
      "get what they want once each, and nothing while they are disabled",
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        yield* create("all")
        yield* create("failures", { events: ["sweep.failed", "sweep.delivered"] })
        yield* create("paused")
        yield* create("beta's", { builderId: "beta" })
        yield* webhooks.modify("alpha", "paused", { enabled: false })
        yield* Effect.forEach(["m1", "m1"], (id) => publish(id), { concurrency: "unbounded" })
        yield* publish("m2", "sweep.failed")
        assert.sameMembers(names(yield* claim()), ["all m1", "all m2", "failures m2"])
        assert.deepStrictEqual(yield* claim(), [])
        assert.strictEqual((yield* Effect.flip(webhooks.send("alpha", "paused", message("t"))))._tag, "WebhookDisabled")
        const sent = yield* webhooks.send("alpha", "failures", message("t", "webhook.test"))
        assert.deepInclude(sent, { webhookId: "failures", messageId: "t", state: "pending", dueAtMs: 0, attempts: [] })
        assert.deepStrictEqual(names(yield* claim()), ["failures t"])
      })
    )

    limitCases(test)
    replayCases(test)
    turnCases(test)

    test(
      "lease each delivery to one sender, longest due first, again when the lease ends",
      Effect.gen(function* () {
        yield* create("one")
        for (let i = 0; i < 20; i++) yield* publish(`m${i}`)
        const claims = yield* Effect.forEach(Array.from({ length: 8 }), () => claim(4), { concurrency: "unbounded" })
        // Claims at the same time skip each other's rows, so they may leave some to the next claim.
        for (let rest = yield* claim(4); rest.length > 0; rest = yield* claim(4)) claims.push(rest)
        const claimed = names(claims.flat())
        assert.strictEqual(claimed.length, 20)
        assert.strictEqual(new Set(claimed).size, 20)
        yield* TestClock.adjust(LEASE - 1)
        assert.deepStrictEqual(yield* claim(), [])
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(
          names(yield* claim()),
          Array.from({ length: 20 }, (_, i) => `one m${i}`)
        )
      })
    )

    test(
      "keep a long queue of one from the others",
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        yield* create("slow")
        for (let i = 0; i < 10; i++) yield* publish(`m${i}`)
        yield* create("quick", { createdAtMs: 1 })
        yield* publish("m10")
        const first = yield* claim(10, 2)
        assert.deepStrictEqual(names(first), ["slow m0", "slow m1", "quick m10"])
        assert.deepStrictEqual(names(yield* claim(10, 2)), [])
        yield* webhooks.record(the(first[0]), ok, { _tag: "Delivered" }, healthy)
        assert.deepStrictEqual(names(yield* claim(10, 2)), ["slow m2"])
      })
    )

    test(
      "sign with both secrets for a while after a rotation",
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        yield* create("one")
        yield* publish("m")
        assert.strictEqual((yield* webhooks.rotate("alpha", "one", secret("new"), 10)).previousSecretUntilMs, 10)
        const secrets = Effect.map(claim(), (due) => the(due[0]).secrets.map((each) => Redacted.value(each)))
        assert.deepStrictEqual(yield* secrets, ["whsec_new", "whsec_one"])
        yield* TestClock.adjust(LEASE)
        assert.deepStrictEqual(yield* secrets, ["whsec_new"])
      })
    )

    test(
      "keep every attempt, and what follows from it",
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        yield* create("one")
        yield* publish("m")
        const due = the((yield* claim())[0])
        assert.deepInclude(due, { url: "https://one.example.com/hook", failures: 0, message: message("m") })
        yield* webhooks.record(due, refused, { _tag: "Retry", atMs: 500 }, failing(1, 2))
        assert.deepStrictEqual(Option.getOrThrow(yield* webhooks.find("alpha", "one")).failing, {
          sinceMs: 1,
          lastMs: 2
        })
        yield* TestClock.adjust(499)
        assert.deepStrictEqual(yield* claim(), [])
        yield* TestClock.adjust(1)
        const second = the((yield* claim())[0])
        assert.strictEqual(second.failures, 1)
        // A sender whose lease had ended is late.
        yield* webhooks.record(due, refused, { _tag: "GivenUp" }, failing(1, 3))
        yield* webhooks.record(second, ok, { _tag: "Delivered" }, (before) => {
          assert.deepStrictEqual(before, { sinceMs: 1, lastMs: 3 })
          return {}
        })
        const [delivery] = yield* webhooks.deliveries("alpha", "one", { limit: 5 })
        assert.deepStrictEqual(delivery, {
          id: due.id,
          webhookId: "one",
          messageId: "m",
          type: "sweep.submitted",
          payload: message("m").payload,
          state: "delivered",
          createdAtMs: 0,
          attempts: [refused, refused, { ...ok, response: the(delivery).attempts[2]?.response ?? "" }]
        })
        assert.isUndefined(Option.getOrThrow(yield* webhooks.find("alpha", "one")).failing)
        yield* TestClock.adjust("1 hour")
        assert.deepStrictEqual(yield* claim(), [])
      })
    )

    test(
      "are disabled by what is judged of a failure, and go on where they stopped",
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        yield* create("one")
        yield* publish("m1")
        yield* publish("m2")
        const [first] = yield* claim(1)
        const gone = () => ({ failing: { sinceMs: 0, lastMs: 0 }, disable: "gone" as const })
        yield* webhooks.record(the(first), { ...ok, statusCode: 410 }, { _tag: "GivenUp" }, gone)
        const disabled = Option.getOrThrow(yield* webhooks.find("alpha", "one")).disabled
        assert.deepStrictEqual(disabled, { reason: "gone", atMs: 0 })
        assert.deepStrictEqual(yield* claim(), [])
        assert.strictEqual((yield* Effect.flip(webhooks.replay("alpha", the(first).id)))._tag, "WebhookDisabled")
        const enabled = yield* webhooks.modify("alpha", "one", { enabled: true })
        assert.isUndefined(enabled.failing)
        assert.deepStrictEqual(names(yield* claim()), ["one m2"])
      })
    )

    test(
      "list deliveries in pages, newest first",
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        yield* create("one")
        for (const id of ["m1", "m2", "m3"]) yield* publish(id)
        const ids = (before?: string) =>
          Effect.map(
            webhooks.deliveries("alpha", "one", { limit: 2, ...(before === undefined ? {} : { before }) }),
            (rows) => rows.map(({ messageId }) => messageId)
          )
        assert.deepStrictEqual(yield* ids(), ["m3", "m2"])
        const [, second] = yield* webhooks.deliveries("alpha", "one", { limit: 2 })
        assert.deepStrictEqual(yield* ids(the(second).id), ["m1"])
      })
    )

    test(
      "forget what ended long ago, and what a removed one was sent",
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        yield* create("one")
        yield* publish("m1")
        yield* publish("m2")
        const [first, second] = yield* claim()
        yield* webhooks.record(the(first), ok, { _tag: "Delivered" }, healthy)
        assert.strictEqual(yield* webhooks.prune(0, 10), 0)
        assert.strictEqual(yield* webhooks.prune(1, 10), 1)
        assert.strictEqual((yield* webhooks.deliveries("alpha", "one", { limit: 5 })).length, 1)
        yield* webhooks.remove("alpha", "one")
        yield* webhooks.record(the(second), ok, { _tag: "Delivered" }, healthy)
        yield* TestClock.adjust("1 hour")
        assert.deepStrictEqual(yield* claim(), [])
      })
    )
  })
