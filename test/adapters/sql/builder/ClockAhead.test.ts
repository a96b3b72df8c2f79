/** A process whose clock is ahead of the database deletes and leases no more than one whose clock is right. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { Hash } from "../../../../src/domain/Hex.ts"
import { Nonces } from "../../../../src/ports/builder/Nonces.ts"
import { Sessions } from "../../../../src/ports/builder/Sessions.ts"
import { type DueDelivery, Webhooks } from "../../../../src/ports/builder/Webhooks.ts"
import { register } from "../../../support/BuilderFixtures.ts"
import { freshStores } from "../../../support/BuilderStores.ts"
import { at, databaseTime } from "../../../support/DatabaseTime.ts"
import { hash } from "../../../support/IntentFixtures.ts"

const DAY = 86_400_000

const attempt = (atMs: number) => ({ atMs, durationMs: 1, statusCode: 200 })

const claim = Webhooks.use((webhooks) =>
  webhooks.claim({ limit: 10, failingLimit: 10, perEndpoint: 10, perBuilder: 10, leaseMillis: 30_000 })
)

/** Publishes a message to an endpoint, and returns the database's time. */
const published = Effect.gen(function* () {
  yield* register
  const webhooks = yield* Webhooks
  const now = yield* databaseTime
  const endpoint = {
    id: "w",
    builderId: "alpha",
    url: "https://example.com",
    description: "",
    events: [],
    createdAtMs: now
  }
  yield* at(now)(webhooks.create(endpoint, Redacted.make("whsec_w"), 10))
  yield* at(now)(webhooks.publish("alpha", { id: "m", type: "sweep.submitted", payload: "{}" }))
  return now
})

const record = (due: DueDelivery | undefined, atMs: number, retryAtMs?: number) =>
  due === undefined
    ? Effect.die("nothing is due")
    : Webhooks.use((webhooks) =>
        webhooks.record(
          due,
          attempt(atMs),
          retryAtMs === undefined ? { _tag: "Delivered" } : { _tag: "Retry", atMs: retryAtMs },
          () => ({})
        )
      )

describe("a process whose clock is a day ahead", () => {
  it.effect("deletes no nonce that has not expired", () =>
    Effect.gen(function* () {
      const nonces = yield* Nonces
      const now = yield* databaseTime
      yield* at(now)(nonces.issue("kept", now + DAY / 2))
      yield* at(now + DAY)(nonces.issue("other", now + 2 * DAY))
      assert.isTrue(yield* at(now)(nonces.consume("kept")))
    }).pipe(Effect.provide(freshStores))
  )

  it.effect("ends no session that has not expired", () =>
    Effect.gen(function* () {
      yield* register
      const sessions = yield* Sessions
      const now = yield* databaseTime
      const create = (tokenHash: Hash, expiresAtMs: number) =>
        sessions.create({ tokenHash, builderId: "alpha", expiresAtMs })
      yield* at(now)(create(hash("a"), now + DAY / 2))
      yield* at(now + DAY)(create(hash("b"), now + 2 * DAY))
      assert.isTrue((yield* at(now)(sessions.find(hash("a"))))._tag === "Some")
    }).pipe(Effect.provide(freshStores))
  )

  it.effect("leases and puts off no webhook for longer than two minutes, and sends none that is not due", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const now = yield* published
      const ahead = at(now + DAY)
      const heldUntil = Effect.map(
        sql<{ until: Date }>`SELECT coalesce(lease_until, due_at) AS until FROM builder.webhook_deliveries`,
        ([row]) => (row?.until.getTime() ?? Infinity) - now
      )
      const [due] = yield* ahead(claim)
      assert.isAbove(yield* heldUntil, 0)
      assert.isBelow(yield* heldUntil, 120_000)
      yield* ahead(record(due, now + DAY, now + DAY))
      assert.isBelow(yield* heldUntil, 120_000)
      const [again] = yield* ahead(claim)
      yield* at(now)(record(again, now, now + DAY / 2))
      assert.deepStrictEqual(yield* ahead(claim), [])
    }).pipe(Effect.provide(freshStores))
  )

  it.effect("deletes no delivery that is younger than its age", () =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const now = yield* published
      const [due] = yield* at(now)(claim)
      yield* at(now)(record(due, now))
      assert.strictEqual(yield* at(now + 2 * DAY)(webhooks.prune(now + DAY, 10)), 0)
      assert.strictEqual(yield* at(now + 1)(webhooks.prune(now + 1, 10)), 1)
    }).pipe(Effect.provide(freshStores))
  )
})
