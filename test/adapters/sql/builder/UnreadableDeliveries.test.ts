/** One webhook delivery whose row cannot be decoded: it is set aside, and the others of its endpoint are sent. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Webhooks } from "../../../../src/ports/builder/Webhooks.ts"
import { register } from "../../../support/BuilderFixtures.ts"
import { claim, layer, recheck, standing } from "./unreadableScene.ts"

const HOUR = 3_600_000

const setType = (message: string, type: string) =>
  Effect.flatMap(
    PgClient.PgClient,
    (sql) => sql`UPDATE builder.webhook_deliveries SET type = ${type} WHERE message_id = ${message}`
  )

/** Three messages to one endpoint; the second is poisoned. */
const three = Effect.gen(function* () {
  yield* register
  const webhooks = yield* Webhooks
  yield* webhooks.create(
    { id: "one", builderId: "alpha", url: "https://one.example.com", description: "", events: [], createdAtMs: 0 },
    Redacted.make("whsec_one"),
    10
  )
  for (const id of ["a", "b", "c"]) {
    yield* webhooks.publish("alpha", { id, type: "sweep.submitted", payload: "{}" })
  }
  yield* setType("b", "broken")
})

describe("a webhook delivery whose row cannot be read", () => {
  it.effect("is set aside with an alert, takes no place of the others, and is sent once it is mended", () =>
    Effect.gen(function* () {
      yield* three
      assert.deepStrictEqual(yield* claim(3), ["a", "c"])
      assert.deepStrictEqual(yield* standing, ["webhook_unreadable"])
      assert.deepStrictEqual(yield* claim(3), [])
      yield* recheck
      assert.deepStrictEqual(yield* standing, ["webhook_unreadable"])

      yield* setType("b", "sweep.submitted")
      yield* recheck
      assert.deepStrictEqual(yield* standing, [])
      assert.deepStrictEqual(yield* claim(3), ["b"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("stays set aside while the previous secret of its endpoint cannot be read", () =>
    Effect.gen(function* () {
      yield* three
      yield* setType("b", "sweep.submitted")
      const webhooks = yield* Webhooks
      yield* webhooks.rotate("alpha", "one", Redacted.make("whsec_two"), 3_600_000)
      const sql = yield* PgClient.PgClient
      yield* sql`UPDATE builder.webhook_endpoints SET previous_secret = NULL, previous_secret_sealed = 'v1.00.lost.key'`
      assert.deepStrictEqual(yield* claim(3), [])
      yield* recheck
      assert.deepStrictEqual(yield* standing, ["webhook_unreadable"], "one alert for the endpoint")
      assert.deepStrictEqual(yield* claim(3), [])
      // The previous secret signs no longer.
      yield* TestClock.adjust("1 hour")
      yield* recheck
      assert.deepStrictEqual(yield* standing, [])
      assert.deepStrictEqual(yield* claim(3), ["a", "b", "c"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("is sent at once with the others of its endpoint, but not before the time of its next attempt", () =>
    Effect.gen(function* () {
      yield* three
      yield* setType("b", "sweep.submitted")
      const sql = yield* PgClient.PgClient
      const webhooks = yield* Webhooks
      // The first two have failed before. The first one waits for its next attempt all the time.
      yield* sql`UPDATE builder.webhook_deliveries SET failures = 9, due_at = ${new Date(26 * HOUR)} WHERE message_id = 'a'`
      yield* sql`UPDATE builder.webhook_deliveries SET failures = 1 WHERE message_id = 'b'`
      yield* sql`INSERT INTO builder.webhook_attempts (delivery_id, at, duration_millis, status_code)
        SELECT id, ${new Date(0)}, 1, 500 FROM builder.webhook_deliveries WHERE message_id IN ('a', 'b')`
      yield* sql`UPDATE builder.webhook_endpoints SET secret = NULL, secret_sealed = 'v1.00.lost.key'`
      assert.deepStrictEqual(yield* claim(1), [])
      assert.deepStrictEqual(yield* claim(1), [])
      assert.deepStrictEqual(yield* claim(1), [])
      yield* recheck
      assert.deepStrictEqual(yield* standing, ["webhook_unreadable"])
      yield* webhooks.rotate("alpha", "one", Redacted.make("whsec_two"), 0)
      yield* sql`UPDATE builder.webhook_endpoints SET previous_secret = NULL, previous_secret_sealed = NULL`
      yield* recheck
      assert.deepStrictEqual(yield* standing, [])
      assert.deepStrictEqual(yield* claim(3), ["b", "c"])
      yield* TestClock.setTime(26 * HOUR)
      assert.include(yield* claim(3), "a")
    }).pipe(Effect.provide(layer))
  )

  it.effect("is found again among any number of others", () =>
    Effect.gen(function* () {
      yield* three
      const sql = yield* PgClient.PgClient
      yield* sql`INSERT INTO builder.webhook_deliveries (endpoint_id, message_id, type, payload, due_at, created_at)
        SELECT 'one', 'more ' || n, 'broken', '{}', ${new Date(0)}, ${new Date(0)} FROM generate_series(1, 250) AS n`
      const webhooks = yield* Webhooks
      yield* webhooks.claim({ limit: 300, failingLimit: 10, perEndpoint: 300, perBuilder: 300, leaseMillis: 60_000 })
      assert.lengthOf(yield* standing, 251)
      yield* sql`UPDATE builder.webhook_deliveries SET type = 'sweep.submitted' WHERE message_id <> 'b'`
      yield* recheck
      assert.lengthOf(yield* standing, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("ends its alert when it is gone", () =>
    Effect.gen(function* () {
      yield* three
      yield* claim(3)
      const sql = yield* PgClient.PgClient
      yield* sql`UPDATE builder.webhook_endpoints SET secret = NULL, secret_sealed = 'v1.00.lost.key'`
      const webhooks = yield* Webhooks
      yield* webhooks.publish("alpha", { id: "d", type: "sweep.submitted", payload: "{}" })
      yield* claim(9)
      assert.lengthOf(yield* standing, 2)
      yield* webhooks.remove("alpha", "one")
      yield* recheck
      assert.deepStrictEqual(yield* standing, [])
    }).pipe(Effect.provide(layer))
  )
})
