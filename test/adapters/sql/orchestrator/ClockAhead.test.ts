/** A process whose clock is ahead of the database reserves and deletes no more than one whose clock is right. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as IdempotencySql from "../../../../src/adapters/sql/orchestrator/Idempotency.ts"
import * as KeptDataSql from "../../../../src/adapters/sql/orchestrator/KeptData.ts"
import { Intents } from "../../../../src/ports/orchestrator/Intents.ts"
import { KeptData } from "../../../../src/ports/orchestrator/KeptData.ts"
import { Outbox } from "../../../../src/ports/orchestrator/Outbox.ts"
import { Idempotency } from "../../../../src/ports/shared/Idempotency.ts"
import { at, databaseTime } from "../../../support/DatabaseTime.ts"
import { hash, newIntent, submission, submitted } from "../../../support/IntentFixtures.ts"
import { freshStores } from "../../../support/OrchestratorStores.ts"

const DAY = 86_400_000

const layer = Layer.merge(KeptDataSql.layer, IdempotencySql.layer).pipe(Layer.provideMerge(freshStores))

const claim = (worker: string) =>
  Effect.flatMap(Intents, (intents) => intents.claim({ chainId: 1, worker, leaseMillis: 30_000, limit: 10 })).pipe(
    Effect.map((claimed) => claimed.map(({ id }) => id))
  )

describe("a process whose clock is a day ahead", () => {
  it.effect("reserves no intent for longer than two minutes", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const intents = yield* Intents
      const now = yield* databaseTime
      const reservedUntil = Effect.map(
        sql<{ until: Date }>`SELECT coalesce(lease_until, not_before) AS until FROM orchestrator.intent_queue`,
        ([row]) => (row?.until.getTime() ?? 0) - now
      )
      yield* at(now)(submitted({ id: "a", owner: 1 }))
      const ahead = at(now + DAY)
      assert.deepStrictEqual(yield* ahead(claim("ahead")), ["a"])
      assert.isBelow(yield* reservedUntil, 120_000)
      yield* ahead(intents.release(["a"], { notBeforeMs: now + DAY + 3_000 }))
      assert.isBelow(yield* reservedUntil, 120_000)
    }).pipe(Effect.provide(layer))
  )

  it.effect("holds no message for longer than two minutes", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const intents = yield* Intents
      const outbox = yield* Outbox
      const now = yield* databaseTime
      const heldUntil = Effect.map(
        sql<{ until: Date }>`SELECT max(coalesce(held_until, due_at)) AS until FROM orchestrator.outbox`,
        ([row]) => (row?.until.getTime() ?? 0) - now
      )
      yield* at(now)(intents.create(newIntent({ id: "a", builderId: "bld_1" })))
      yield* at(now)(intents.submit("a", submission()))
      const ahead = at(now + DAY)
      const held = yield* ahead(outbox.claim({ topic: "events", limit: 10, leaseMillis: 30_000 }))
      assert.isAbove(held.length, 0)
      assert.isBelow(yield* heldUntil, 120_000)
      for (const { id } of held) yield* ahead(outbox.defer(id, now + DAY + 3_000, "down"))
      assert.isBelow(yield* heldUntil, 120_000)
    }).pipe(Effect.provide(layer))
  )

  it.effect("puts nothing off for longer than two minutes", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const intents = yield* Intents
      const now = yield* databaseTime
      const ahead = at(now + DAY)
      for (const [index, id] of ["given up", "settled"].entries()) yield* at(now)(submitted({ id, owner: index + 1 }))
      yield* at(now)(intents.apply("settled", [{ _tag: "SettledAtSource", txHash: hash("t") }]))
      const notBeforeMs = now + DAY + 3_000
      yield* ahead(intents.giveUp("given up", { reason: "simulation_failed", detail: "", notBeforeMs }))
      yield* ahead(intents.postponeDeliveries([{ id: "settled", lookAtMs: notBeforeMs }]))
      const rows = yield* sql<{ until: Date }>`SELECT not_before AS until FROM orchestrator.intent_queue
        UNION ALL SELECT not_before FROM orchestrator.given_up_intents
        UNION ALL SELECT look_at FROM orchestrator.intent_deliveries`
      assert.lengthOf(rows, 3)
      for (const { until } of rows) assert.isBelow(until.getTime() - now, 120_000)
      // A clock that is right, or behind, puts off for as long as it says.
      yield* at(now - DAY)(intents.postponeDeliveries([{ id: "settled", lookAtMs: now - DAY + 3_000 }]))
      const [looked] = yield* sql<{ at: Date }>`SELECT look_at AS at FROM orchestrator.intent_deliveries`
      assert.strictEqual(looked?.at.getTime(), now - DAY + 3_000)
    }).pipe(Effect.provide(layer))
  )

  it.effect("deletes no quote that is younger than its age", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      const { prune } = yield* KeptData
      const now = yield* databaseTime
      yield* at(now)(intents.create(newIntent({ id: "open", owner: 1 })))
      assert.strictEqual(yield* at(now + 2 * DAY)(prune("quotes", now + DAY, 10)), 0)
      assert.strictEqual(yield* at(now + 1)(prune("quotes", now + 1, 10)), 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("drops no month of the history that is younger than its age", () =>
    Effect.gen(function* () {
      const { addMonths, dropMonths } = yield* KeptData
      const now = yield* databaseTime
      yield* at(now - 200 * DAY)(addMonths)
      assert.strictEqual(yield* at(now + 365 * DAY)(dropMonths(now)), 0)
      assert.isAbove(yield* at(now)(dropMonths(now)), 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("deletes no key of a request that has not expired, and takes over none that is in use", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const keys = yield* Idempotency
      const now = yield* databaseTime
      const claimed = (id: string, attempt: string) =>
        keys.claim({ id, attempt, fingerprint: "body", leaseMillis: 90_000, lifetimeMillis: DAY / 2 })
      const ahead = at(now + DAY)
      yield* at(now)(claimed("a", "first"))
      assert.strictEqual((yield* ahead(claimed("b", "first")))._tag, "Claimed")
      assert.strictEqual((yield* at(now)(claimed("a", "second")))._tag, "InProgress")
      assert.strictEqual((yield* ahead(claimed("a", "second")))._tag, "InProgress")
      const leased = Effect.map(
        sql<{ until: Date; expires: Date }>`SELECT lease_until AS until, expires_at AS expires
          FROM orchestrator.idempotency_keys WHERE id = 'b'`,
        (rows) => rows.map(({ expires, until }) => [until.getTime() - now, expires.getTime() - now - DAY / 2])
      )
      for (const change of [Effect.void, keys.extend({ id: "b", attempt: "first" }, 90_000)]) {
        yield* ahead(change)
        for (const millis of (yield* leased).flat()) assert.isBelow(millis, 180_000)
      }
      yield* ahead(keys.release({ id: "b", attempt: "first" }))
      assert.strictEqual((yield* at(now + 120_000)(claimed("b", "second")))._tag, "Claimed")
    }).pipe(Effect.provide(layer))
  )
})
