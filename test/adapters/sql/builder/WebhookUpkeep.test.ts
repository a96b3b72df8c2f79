/** Rows of removed and of disabled endpoints, regardless of the number of their deliveries. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import * as WebhookBacklogs from "../../../../src/adapters/sql/builder/WebhookBacklog.ts"
import { WebhookBacklog } from "../../../../src/ports/builder/WebhookBacklog.ts"
import { Webhooks } from "../../../../src/ports/builder/Webhooks.ts"
import { register } from "../../../support/BuilderFixtures.ts"
import { freshStores } from "../../../support/BuilderStores.ts"

const world = WebhookBacklogs.layer.pipe(Layer.provideMerge(freshStores))

const PLACES = { limit: 100, failingLimit: 100, perEndpoint: 100, perBuilder: 100, leaseMillis: 60_000 }

const create = (id: string, builderId = "alpha") =>
  Webhooks.use((webhooks) =>
    webhooks.create(
      { id, builderId, url: `https://${id}.example.com`, description: "mine", events: [], createdAtMs: 0 },
      Redacted.make(`whsec_${id}`),
      10
    )
  )

/** Queues deliveries, one attempt of each made. */
const fill = Effect.fnUntraced(function* (id: string, count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`WITH added AS (
      INSERT INTO builder.webhook_deliveries (endpoint_id, message_id, type, payload, due_at, created_at)
      SELECT ${id}, 'm' || n, 'sweep.delivered', '{}', to_timestamp(0), to_timestamp(0) FROM generate_series(1, ${count}::integer) AS n
      RETURNING id
    ) INSERT INTO builder.webhook_attempts (delivery_id, at, duration_millis, error)
    SELECT id, to_timestamp(0), 1, 'ECONNREFUSED' FROM added`
})

const counted = Effect.fnUntraced(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ deliveries: number; endpoints: number; held: number }>`SELECT
    (SELECT count(*) FROM builder.webhook_deliveries)::int AS deliveries,
    (SELECT count(*) FROM builder.webhook_deliveries WHERE is_held)::int AS held,
    (SELECT count(*) FROM builder.webhook_endpoints)::int AS endpoints`
  return row
})

it.effect("an endpoint is removed by one row, and its deliveries are deleted in small batches", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const webhooks = yield* Webhooks
    yield* register
    yield* create("one")
    yield* create("two")
    yield* fill("one", 2_500)
    yield* fill("two", 1)
    const [due] = yield* webhooks.claim({ ...PLACES, limit: 1 })
    yield* webhooks.remove("alpha", "one")
    assert.deepStrictEqual(yield* counted(), { deliveries: 2_501, endpoints: 2, held: 0 })
    const rows =
      yield* sql`SELECT builder_id, url, description, secret, secret_sealed, previous_secret, previous_secret_sealed,
        disabled_reason FROM builder.webhook_endpoints WHERE id = 'one'`
    assert.deepStrictEqual(rows, [
      {
        builder_id: null,
        url: "",
        description: "",
        secret: "",
        secret_sealed: null,
        previous_secret: null,
        previous_secret_sealed: null,
        disabled_reason: "paused"
      }
    ])

    assert.deepStrictEqual(yield* webhooks.find("alpha", "one"), Option.none())
    assert.deepStrictEqual(
      (yield* webhooks.list("alpha")).map(({ id }) => id),
      ["two"]
    )
    assert.strictEqual((yield* Effect.flip(webhooks.remove("alpha", "one")))._tag, "WebhookNotFound")
    assert.strictEqual((yield* Effect.flip(webhooks.replay("alpha", due?.id ?? "")))._tag, "WebhookNotFound")
    assert.deepStrictEqual(
      (yield* webhooks.ofMessages("alpha", ["m1"])).map(({ webhookId }) => webhookId),
      ["two"]
    )
    yield* webhooks.publish("alpha", { id: "next", type: "sweep.submitted", payload: "{}" })
    assert.deepInclude(yield* WebhookBacklog.use(({ read }) => read), { waiting: 2 })
    assert.deepStrictEqual(
      (yield* webhooks.claim(PLACES)).map(({ webhookId }) => webhookId),
      ["two", "two"]
    )
    if (due === undefined) return assert.fail("nothing was due")
    yield* webhooks.record(due, { atMs: 0, durationMs: 1, statusCode: 200 }, { _tag: "Delivered" }, () => ({}))
    assert.deepStrictEqual(yield* webhooks.reseal(10), { stored: 0, unreadable: 0 })

    // These rows are deleted, not set aside.
    assert.strictEqual(yield* webhooks.hold(1_000), 0)
    const pruned = [yield* webhooks.prune(0, 1_000), yield* webhooks.prune(0, 1_000), yield* webhooks.prune(0, 1_000)]
    assert.deepStrictEqual(pruned, [1_000, 1_000, 500])
    assert.deepStrictEqual(yield* counted(), { deliveries: 2, endpoints: 1, held: 0 })
  }).pipe(Effect.provide(Layer.fresh(world)))
)

it.effect("what waits for a disabled endpoint is set aside, is not counted, and is sent once it is enabled", () =>
  Effect.gen(function* () {
    const webhooks = yield* Webhooks
    yield* register
    yield* create("one")
    yield* create("two")
    yield* fill("one", 2_500)
    yield* fill("two", 1)
    yield* TestClock.setTime(3_600_000)
    const [leased] = yield* webhooks.claim({ ...PLACES, limit: 1 })
    assert.strictEqual(leased?.webhookId, "one")
    yield* webhooks.modify("alpha", "one", { enabled: false })
    const backlog = WebhookBacklog.use(({ read }) => read)
    assert.deepInclude(yield* backlog, { waiting: 1, oldestMs: 0 })
    assert.deepStrictEqual([yield* webhooks.hold(1_000), yield* webhooks.hold(5_000)], [1_000, 1_499])
    // The attempt under way keeps its row.
    assert.deepInclude(yield* counted(), { held: 2_499 })
    assert.strictEqual(yield* webhooks.hold(1_000), 0)
    yield* webhooks.modify("alpha", "two", { enabled: false })
    assert.deepInclude(yield* backlog, { waiting: 0, oldestMs: undefined, lateSinceMs: undefined })

    yield* webhooks.modify("alpha", "one", { enabled: true })
    assert.deepInclude(yield* counted(), { held: 1_499 })
    assert.strictEqual((yield* webhooks.claim(PLACES)).length, 99)
    assert.deepStrictEqual([yield* webhooks.hold(1_000), yield* webhooks.hold(1_000)], [1_000, 499])
    assert.deepInclude(yield* counted(), { held: 1 })
  }).pipe(Effect.provide(Layer.fresh(world)))
)

const oldest = Effect.map(
  WebhookBacklog.use(({ read }) => read),
  ({ oldestMs }) => oldestMs
)

it.effect("the oldest message that waits is not one of a single builder whose endpoints fail", () =>
  Effect.gen(function* () {
    const webhooks = yield* Webhooks
    yield* register
    yield* create("one")
    yield* create("beta's", "beta")
    yield* fill("one", 1)
    yield* fill("beta's", 1)
    const failure = { atMs: 0, durationMs: 1, error: "ECONNREFUSED" }
    const fails = () => ({ failing: { sinceMs: 0, lastMs: 0 } })
    const [first, second] = yield* webhooks.claim(PLACES)
    if (first === undefined || second === undefined) return assert.fail("nothing was due")
    yield* webhooks.record(first, failure, { _tag: "Retry", atMs: 1 }, fails)
    assert.strictEqual(yield* oldest, 0)
    yield* webhooks.record(second, { ...failure }, { _tag: "Retry", atMs: 1 }, fails)
    assert.strictEqual(yield* oldest, 0)
    yield* create("two")
    yield* fill("two", 1)
    const third = (yield* webhooks.claim(PLACES)).find(({ webhookId }) => webhookId === "two")
    if (third === undefined) return assert.fail("nothing was due")
    yield* webhooks.record(third, { atMs: 0, durationMs: 1, statusCode: 200 }, { _tag: "Delivered" }, () => ({}))
    assert.strictEqual(yield* oldest, 0)
    yield* webhooks.modify("alpha", "one", { enabled: false })
    assert.isUndefined(yield* oldest)
  }).pipe(Effect.provide(Layer.fresh(world)))
)

it.effect("the oldest message is one of a single builder whose endpoint fails if nothing was delivered since", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* register
    yield* create("one")
    yield* fill("one", 1)
    yield* sql`UPDATE builder.webhook_endpoints SET failing_since = to_timestamp(60), last_failure_at = to_timestamp(60)`
    assert.strictEqual(yield* oldest, 0)
    const ended = (state: string, seconds: number) => sql`INSERT INTO builder.webhook_deliveries
      (endpoint_id, message_id, type, payload, state, due_at, created_at, closed_at)
      VALUES ('one', ${state + String(seconds)}, 'sweep.delivered', '{}', ${state}, to_timestamp(0), to_timestamp(0),
        to_timestamp(${seconds}))`
    yield* ended("delivered", 59)
    yield* ended("failed", 70)
    assert.strictEqual(yield* oldest, 0)
    yield* ended("delivered", 61)
    assert.isUndefined(yield* oldest)
  }).pipe(Effect.provide(Layer.fresh(world)))
)

it.effect("the oldest message is found behind the long queue of another endpoint", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* register
    yield* create("a-long")
    yield* create("b-short", "beta")
    yield* fill("a-long", 10_001)
    yield* sql`UPDATE builder.webhook_deliveries SET created_at = to_timestamp(9)`
    yield* fill("b-short", 1)
    assert.deepInclude(yield* WebhookBacklog.use(({ read }) => read), { waiting: 10_000, oldestMs: 0 })
  }).pipe(Effect.provide(Layer.fresh(world)))
)
