/** Rows of attempts that are kept when deliveries are queued again. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Builders } from "../../../../src/ports/builder/Builders.ts"
import { ATTEMPTS_LISTED, type DeliveryAttempt, Webhooks } from "../../../../src/ports/builder/Webhooks.ts"
import { account } from "../../../support/BuilderAccounts.ts"
import { freshStores } from "../../../support/BuilderStores.ts"

const PLACES = { limit: 10, failingLimit: 10, perEndpoint: 10, perBuilder: 10, leaseMillis: 60_000 }

const REFUSED: DeliveryAttempt = { atMs: 0, durationMs: 1, error: "ECONNREFUSED" }

const kept = SqlClient.SqlClient.use(
  (sql) => sql<{ attempts: number }>`SELECT count(a.id)::int AS attempts FROM builder.webhook_deliveries d
    LEFT JOIN builder.webhook_attempts a ON a.delivery_id = d.id GROUP BY d.id ORDER BY d.id`
).pipe(Effect.map((rows) => rows.map(({ attempts }) => attempts)))

/** Two failed deliveries with more attempts than are listed. */
const failed = Effect.gen(function* () {
  const builders = yield* Builders
  const webhooks = yield* Webhooks
  yield* builders.create(account("alpha", 1))
  const endpoint = { id: "one", url: "https://a.example.com", description: "", events: [], createdAtMs: 0 }
  yield* webhooks.create({ ...endpoint, builderId: "alpha" }, Redacted.make("whsec_one"), 10)
  for (const id of ["m1", "m2"]) yield* webhooks.publish("alpha", { id, type: "sweep.submitted", payload: "{}" })
  const due = yield* webhooks.claim(PLACES)
  for (const each of due) {
    for (let index = 0; index < ATTEMPTS_LISTED + 5; index += 1) {
      yield* webhooks.record(each, REFUSED, { _tag: "GivenUp" }, () => ({}))
    }
  }
  return due
})

it.effect("a replay keeps the newest attempts of its delivery", () =>
  Effect.gen(function* () {
    const [first] = yield* failed
    assert.deepStrictEqual(yield* kept, [ATTEMPTS_LISTED + 5, ATTEMPTS_LISTED + 5])
    yield* (yield* Webhooks).replay("alpha", first?.id ?? "none")
    assert.deepStrictEqual(yield* kept, [ATTEMPTS_LISTED, ATTEMPTS_LISTED + 5])
  }).pipe(Effect.provide(Layer.fresh(freshStores)))
)

it.effect("a replay of all that failed keeps the newest attempts of each", () =>
  Effect.gen(function* () {
    yield* failed
    assert.strictEqual(yield* (yield* Webhooks).replayFailed("alpha", "one", 10), 2)
    assert.deepStrictEqual(yield* kept, [ATTEMPTS_LISTED, ATTEMPTS_LISTED])
  }).pipe(Effect.provide(Layer.fresh(freshStores)))
)
