/** A builder's sweeps and webhooks over HTTP, on the real stores. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Ref, Schema } from "effect"
import { Webhook } from "standardwebhooks"
import { WebhookTransportState } from "../../../src/adapters/memory/builder/WebhookTransport.ts"
import { WebhookDelivery } from "../../../src/builder/webhook/WebhookDelivery.ts"
import { BuilderSettings } from "../../../src/builder/shared/BuilderSettings.ts"
import { builderDefaults } from "../../../src/config/Builder.ts"
import { SweepEvent, type SweepStatus } from "../../../src/domain/SweepEvent.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import { event } from "../../support/BuilderFixtures.ts"
import * as Harness from "./Harness.ts"

const { asAdmin, asBuilder, ask, field, signUp, text } = Harness

const encode = Schema.encodeSync(SweepEvent)
const URL = "https://hooks.example.com/sweeps"

/** The server, and the delivery on the same stores, which works when told to. */
const services = WebhookDelivery.layerOnDemand.pipe(
  Layer.provide(BuilderSettings.layer(builderDefaults)),
  Layer.provideMerge(Harness.layer())
)

const report = (told: SweepEvent, changes: Readonly<Record<string, unknown>> = {}) =>
  asAdmin("POST /sweep-events", { body: { ...encode(told), ...changes } })

let intents = 0

/** Reports the statuses of one more sweep of a builder. */
const sweep = Effect.fnUntraced(function* (builderId: string, statuses: ReadonlyArray<SweepStatus>, atMs = Date.now()) {
  intents += 1
  const id = `intent-${intents}`
  const events = statuses.map((status) => event(status, { id, builderId, atMs }))
  for (const told of events) assert.strictEqual((yield* report(told)).status, 201)
  return { id, events }
})

const deliver = Effect.flatMap(WebhookDelivery, ({ runOnce }) => runOnce)

/** Requests posted to endpoints since the last time, and what they answer from now on. */
const posted = Effect.fnUntraced(function* (statusCode?: number) {
  const state = yield* WebhookTransportState
  const { posted: seen } = yield* Ref.getAndUpdate(state, ({ answer }) => ({
    posted: [],
    answer: statusCode === undefined ? answer : { statusCode, response: "answer" }
  }))
  return seen
})

const paths = (answer: Harness.Answer): ReadonlyArray<string> => {
  const issues = field(answer, "error", "issues")
  return Array.isArray(issues) ? issues.map(({ path }: { path: ReadonlyArray<string> }) => path.join(".")) : []
}

layer(services, { excludeTestServices: true })("a builder", (it) => {
  it.effect("is reported each event once, and nothing that differs", () =>
    Effect.gen(function* () {
      const { id: builderId } = yield* signUp()
      const told = event("submitted", { id: "reported", builderId, atMs: 5 })
      const answers = yield* Effect.forEach(Array.from({ length: 20 }), () => report(told), {
        concurrency: "unbounded"
      })
      for (const answer of answers) assert.deepStrictEqual([answer.status, answer.body], [201, { ok: true }])
      const conflicts = [{ amountIn: "1" }, { occurredAtMs: 6 }, { builderId: (yield* signUp()).id }]
      for (const changes of conflicts) {
        const answer = yield* report(told, changes)
        assert.deepStrictEqual([answer.status, answer.body], [409, { error: "conflict" }])
      }
      const alerts = Effect.map((yield* Alerts).list, (all) =>
        all.filter(({ details: of }) => of["eventId"] === told.id && "lastAtMs" in of).map((a) => [a.kind, a.severity])
      )
      assert.deepStrictEqual(yield* alerts, [["sweep_event_conflict", "warning"]])
      assert.deepStrictEqual(yield* Effect.andThen(report(told), alerts), [])
      const wrong: ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>]> = [
        ["builderId", { builderId: "nobody", id: "other:submitted", intentId: "other" }],
        ["id", { id: "reported:delivered" }],
        ["intentId", { intentId: "a.b" }],
        ["status", { status: "quoted" }],
        ["amountIn", { amountIn: 5 }],
        ["occurredAtMs", { occurredAtMs: -1 }]
      ]
      for (const [path, changes] of wrong) {
        const answer = yield* report(told, changes)
        assert.strictEqual(answer.status, 422, JSON.stringify(changes))
        assert.deepStrictEqual(paths(answer), [path])
      }
    })
  )

  it.effect("sees its sweeps, their histories and what they add up to, and nobody else's", () =>
    Effect.gen(function* () {
      const [ann, bob] = [yield* signUp("Ann"), yield* signUp("Bob")]
      const own = asBuilder(ann.cookie)
      assert.deepInclude((yield* own("GET /me/overview")).body, { sweeps: 0, successRateBps: null, volume: [] })
      const delivered = yield* sweep(ann.id, ["delivered", "submitted", "settled_source"])
      const failed = yield* sweep(ann.id, ["submitted", "failed"])
      const open = yield* sweep(ann.id, ["submitted"])
      const old = yield* sweep(ann.id, ["submitted", "failed"], Date.now() - 40 * 24 * 3_600_000)
      const foreign = yield* sweep(bob.id, ["submitted"])

      const listed = yield* own("GET /me/sweeps?limit=2")
      assert.deepStrictEqual(
        [0, 1].map((row) => text(listed, "sweeps", row, "intentId")),
        [open.id, failed.id]
      )
      const rest = yield* own(`GET /me/sweeps?limit=2&cursor=${text(listed, "nextCursor")}`)
      assert.deepStrictEqual(
        [0, 1].map((row) => [text(rest, "sweeps", row, "intentId"), text(rest, "sweeps", row, "status")]),
        [
          [delivered.id, "delivered"],
          [old.id, "failed"]
        ]
      )
      assert.isUndefined(field(rest, "nextCursor"))
      const filtered = yield* own("GET /me/sweeps?status=delivered&chainId=1")
      assert.strictEqual(text(filtered, "sweeps", 0, "intentId"), delivered.id)
      assert.deepStrictEqual((yield* own("GET /me/sweeps?chainId=2")).body, { sweeps: [] })
      for (const query of ["status=quoted", "chainId=x", "limit=0"]) {
        assert.strictEqual((yield* own(`GET /me/sweeps?${query}`)).status, 422, query)
      }

      const history = yield* own(`GET /me/sweeps/${delivered.id}`)
      assert.strictEqual(text(history, "sweep", "status"), "delivered")
      assert.deepStrictEqual(
        [0, 1, 2].map((row) => text(history, "events", row, "status")),
        ["submitted", "settled_source", "delivered"]
      )
      for (const id of [foreign.id, "nowhere", "%00"]) {
        const missing = yield* own(`GET /me/sweeps/${id}`)
        assert.deepStrictEqual([missing.status, missing.body], [404, { error: "not found" }])
      }

      const overview = yield* own("GET /me/overview")
      assert.deepInclude(overview.body, { sweeps: 3, inFlight: 1, delivered: 1, failed: 1, successRateBps: 5_000 })
      const [told] = delivered.events
      assert.deepStrictEqual(field(overview, "volume"), [
        { chainId: 1, token: told?.tokenIn, amount: String(told?.amountIn), sweeps: 1 }
      ])
      const byDay = field(overview, "byDay")
      assert.isArray(byDay)
      assert.strictEqual((byDay as ReadonlyArray<unknown>).length, 30)
      assert.strictEqual(field(yield* own("GET /me/overview?days=60"), "sweeps"), 4)
      assert.strictEqual((yield* own("GET /me/overview?days=0")).status, 422)
    })
  )

  it.effect("is told by a webhook, signed under the standard, and again when it asks", () =>
    Effect.gen(function* () {
      const { cookie, id: builderId } = yield* signUp()
      const own = asBuilder(cookie)
      const created = yield* own("POST /me/webhooks", { body: { url: URL, description: "main" } })
      assert.strictEqual(created.status, 201)
      const [id, secret] = [text(created, "webhook", "id"), text(created, "secret")]
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.deepInclude(field(created, "webhook"), { url: URL, description: "main", events: [], enabled: true })
      const listed = yield* own("GET /me/webhooks")
      assert.strictEqual(text(listed, "webhooks", 0, "id"), id)
      assert.notInclude(listed.text, secret)

      yield* posted(503)
      const { events } = yield* sweep(builderId, ["submitted"])
      const [told] = events
      yield* deliver
      const [request] = yield* posted(200)
      if (request === undefined || told === undefined) return assert.fail("nothing was posted")
      assert.strictEqual(request.url, URL)
      const verified = new Webhook(secret).verify(request.body, { ...request.headers })
      assert.deepStrictEqual(verified, {
        type: "sweep.submitted",
        timestamp: new Date(told.occurredAtMs).toISOString(),
        data: JSON.parse(JSON.stringify(encode(told)))
      })
      assert.strictEqual(request.headers["webhook-id"], told.id)

      const log = yield* own(`GET /me/webhooks/${id}/deliveries`)
      assert.deepInclude(field(log, "deliveries", 0), {
        messageId: told.id,
        state: "pending",
        type: "sweep.submitted",
        payload: request.body
      })
      assert.deepInclude(field(log, "deliveries", 0, "attempts", 0), { statusCode: 503, response: "answer" })
      assert.isNumber(field(yield* own("GET /me/webhooks"), "webhooks", 0, "failingSinceMs"))

      const replayed = yield* own(`POST /me/webhooks/deliveries/${text(log, "deliveries", 0, "id")}/replay`)
      assert.strictEqual(replayed.status, 202)
      yield* deliver
      const [again] = yield* posted()
      assert.strictEqual(again?.headers["webhook-id"], told.id)
      const after = yield* own(`GET /me/webhooks/${id}/deliveries`)
      assert.strictEqual(text(after, "deliveries", 0, "state"), "delivered")
      assert.isUndefined(field(yield* own("GET /me/webhooks"), "webhooks", 0, "failingSinceMs"))
      const [tested, second] = [yield* own(`POST /me/webhooks/${id}/test`), yield* own(`POST /me/webhooks/${id}/test`)]
      assert.deepInclude(tested.body, { type: "webhook.test", state: "pending" })
      assert.deepStrictEqual([second.status, second.body], [409, { error: "webhook_test_pending" }])
      const rotated = yield* own(`POST /me/webhooks/${id}/secret/rotate`)
      assert.isNumber(field(rotated, "webhook", "previousSecretUntilMs"))
      yield* deliver
      const [test] = yield* posted()
      for (const each of [secret, text(rotated, "secret")]) {
        assert.deepInclude(new Webhook(each).verify(test?.body ?? "", { ...test?.headers }), { type: "webhook.test" })
      }
      assert.strictEqual((yield* own(`GET /me/webhooks/${id}/deliveries?limit=1`)).status, 200)
    })
  )

  it.effect("pauses, changes and removes webhooks, each its own alone", () =>
    Effect.gen(function* () {
      const [ann, bob] = [yield* signUp("Ann"), yield* signUp("Bob")]
      const own = asBuilder(ann.cookie)
      const created = yield* own("POST /me/webhooks", { body: { url: URL, events: ["sweep.failed"] } })
      const path = `/me/webhooks/${text(created, "webhook", "id")}`
      const { id: intentId } = yield* sweep(ann.id, ["submitted", "failed"])
      const log = yield* own(`GET ${path}/deliveries`)
      assert.strictEqual(text(log, "deliveries", 0, "messageId"), `${intentId}:failed`)
      assert.isUndefined(field(log, "deliveries", 1))
      const replay = `POST /me/webhooks/deliveries/${text(log, "deliveries", 0, "id")}/replay`
      for (const request of [
        `PATCH ${path}`,
        `POST ${path}/test`,
        `POST ${path}/secret/rotate`,
        `POST ${path}/replay-failed`,
        `GET ${path}/deliveries?state=failed`,
        `GET ${path}/deliveries`,
        `DELETE ${path}`,
        replay
      ]) {
        const body = request.startsWith("PATCH") ? { body: { enabled: false } } : {}
        const refused = yield* asBuilder(bob.cookie)(request, body)
        assert.deepStrictEqual([refused.status, refused.body], [404, { error: "not found" }], request)
        assert.strictEqual((yield* ask(request, body)).status, 401, request)
        if (request.startsWith("GET")) continue
        const stranger = { headers: { origin: "https://evil.example.com" }, ...body }
        assert.strictEqual((yield* own(request, stranger)).status, 403, request)
      }
      const paused = yield* own(`PATCH ${path}`, { body: { enabled: false, description: "later" } })
      assert.deepInclude(paused.body, { enabled: false, disabledReason: "paused", description: "later" })
      for (const request of [`POST ${path}/test`, `POST ${path}/replay-failed`, replay]) {
        const refused = yield* own(request)
        assert.deepStrictEqual([refused.status, refused.body], [409, { error: "webhook_disabled" }])
      }
      yield* posted()
      assert.strictEqual(yield* deliver, 0)
      assert.deepInclude((yield* own(`PATCH ${path}`, { body: { enabled: true, events: [] } })).body, { enabled: true })
      yield* posted(410)
      yield* deliver
      assert.strictEqual((yield* posted(200)).length, 1)
      // A 410 ends the delivery as failed and disables the webhook. Enabled again, all that failed is sent once more.
      assert.include((yield* own(`GET ${path}/deliveries?state=failed`)).text, `"${intentId}:failed"`)
      assert.deepStrictEqual((yield* own(`GET ${path}/deliveries?state=delivered`)).body, { deliveries: [] })
      assert.strictEqual((yield* own(`GET ${path}/deliveries?state=lost`)).status, 422)
      yield* own(`PATCH ${path}`, { body: { enabled: true } })
      for (const queued of [1, 0]) {
        const again = yield* own(`POST ${path}/replay-failed`)
        assert.deepStrictEqual([again.status, again.body], [202, { queued, more: false }])
      }
      yield* deliver
      assert.strictEqual((yield* posted()).length, 1)
      assert.strictEqual(
        text(yield* own(`GET ${path}/deliveries?state=delivered`), "deliveries", 0, "state"),
        "delivered"
      )
      assert.deepStrictEqual((yield* own(`DELETE ${path}`)).body, { ok: true })
      assert.deepStrictEqual((yield* own("GET /me/webhooks")).body, { webhooks: [] })
    })
  )

  it.effect("is told what is wrong with a webhook, and has ten at most", () =>
    Effect.gen(function* () {
      const own = asBuilder((yield* signUp()).cookie)
      const wrong: ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>]> = [
        ["url", {}],
        ["url", { url: "http://hooks.example.com" }],
        ["url", { url: "https://user:secret@hooks.example.com" }],
        ["url", { url: "nowhere" }],
        ["url", { url: `${URL}?${"x".repeat(2_048)}` }],
        ["description", { url: URL, description: "x".repeat(201) }],
        ["events.0", { url: URL, events: ["webhook.test"] }],
        ["events", { url: URL, events: ["sweep.failed", "sweep.failed"] }]
      ]
      for (const [path, body] of wrong) {
        const answer = yield* own("POST /me/webhooks", { body })
        assert.strictEqual(answer.status, 422, JSON.stringify(body))
        assert.deepStrictEqual(paths(answer), [path])
      }
      const answers = yield* Effect.forEach(
        Array.from({ length: 12 }),
        () => own("POST /me/webhooks", { body: { url: URL } }),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter(({ status }) => status === 201).length, 10)
      const refused = answers.find(({ status }) => status !== 201)
      assert.deepStrictEqual([refused?.status, refused?.body], [409, { error: "webhook_limit" }])
      const id = text(answers.find(({ status }) => status === 201) ?? assert.fail("none"), "webhook", "id")
      const patched = yield* own(`PATCH /me/webhooks/${id}`, { body: { url: "http://x.example.com" } })
      assert.deepStrictEqual([patched.status, paths(patched)], [422, ["url"]])
    })
  )
})
