/**
 * The moment of a restore may be given again with another value, while the restore is open. Payments that the database forgot were signed
 * before the restore was recorded, so the day in which they may be mined ends no later for that.
 */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Restores from "../../../src/adapters/sql/builder/Restores.ts"
import { restoreOf } from "../../../src/cli/reconcile/Reconcile.ts"
import { register } from "../../support/BuilderFixtures.ts"
import { address } from "../../support/IntentFixtures.ts"
import { source } from "../../support/RelayFixtures.ts"
import { minute, sceneOf } from "./scene.ts"

const [RESTORED_TO, RECORDED, NOW] = [minute(12), minute(14), minute(20)]

const hasSession = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  return (yield* sql`SELECT 1 FROM builder.sessions`).length > 0
})

/** Moments of the lanes' states that are kept. */
const kept = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql<{ at: Date }>`SELECT restored_to AS at FROM orchestrator.restored_lanes ORDER BY restored_to`
  return rows.map(({ at }) => at.getTime())
})

/** Hours after the restore was recorded. A builder has signed in since. */
const rule = <A, E>(name: string, test: Effect.Effect<A, E, Layer.Success<ReturnType<typeof sceneOf>>>) =>
  it.effect(name, () =>
    Effect.gen(function* () {
      yield* register
      const sql = yield* PgClient.PgClient
      yield* sql`INSERT INTO orchestrator.lanes (chain_id, lane, next_nonce) VALUES (${source.id}, ${address(0x1a4e)}, 1)`
      yield* restoreOf(RESTORED_TO, false)
      yield* TestClock.setTime(NOW)
      yield* sql`INSERT INTO builder.sessions (token_hash, builder_id, created_at, expires_at)
        VALUES ('0x' || repeat('1', 64), 'alpha', now(), now() + interval '1 day')`
      yield* test
    }).pipe(Effect.provide(Layer.fresh(sceneOf(RECORDED))))
  )

/** Gives a moment. Returns the number of open restores, where the reconciliation begins, and when the last restore was recorded. */
const given = (sinceMs: number) =>
  Effect.map(restoreOf(sinceMs, false), (restore) => [
    restore?.ids.length,
    restore?.restoredToMs,
    restore?.recordedAtMs
  ])

describe("another moment for a restore that is open", () => {
  rule(
    "records nothing if it is later, and ends no session",
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* given(minute(13)), [1, RESTORED_TO, RECORDED])
      assert.deepStrictEqual(yield* given(RECORDED - 1), [1, RESTORED_TO, RECORDED])
      assert.isTrue(yield* hasSession)
    })
  )

  rule(
    "moves the beginning if it is earlier, keeps the lanes of that moment, and ends no session",
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* given(minute(11)), [1, minute(11), RECORDED])
      assert.deepStrictEqual(yield* given(RESTORED_TO), [1, minute(11), RECORDED])
      assert.deepStrictEqual(yield* kept, [minute(11), RESTORED_TO])
      assert.isTrue(yield* hasSession)
    })
  )

  rule(
    "is that of another restore if the database was restored again",
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`UPDATE builder.database_identity SET identity = 'another'`
      assert.deepStrictEqual(yield* given(minute(13)), [2, RESTORED_TO, NOW])
      assert.isFalse(yield* hasSession)
    })
  )

  rule(
    "must be given if the database was restored again, since the open restore does not cover it",
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`UPDATE builder.database_identity SET identity = 'another'`
      for (const dryRun of [true, false]) {
        const refused = yield* Effect.flip(restoreOf(undefined, dryRun))
        assert.include(refused.message, "Give the moment with --since")
      }
      assert.isTrue(yield* Restores.isForeign(sql))
    })
  )

  rule(
    "is that of another restore if the database was restored to the same moment again",
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`UPDATE builder.database_identity SET identity = 'another'`
      assert.strictEqual((yield* restoreOf(RESTORED_TO, true))?.recordedAtMs, NOW, "a dry run waits from now on")
      assert.deepStrictEqual(yield* given(RESTORED_TO), [2, RESTORED_TO, NOW])
      assert.isFalse(yield* Restores.isForeign(sql))
      assert.isFalse(yield* hasSession)
      assert.deepStrictEqual(yield* given(RESTORED_TO), [2, RESTORED_TO, NOW], "the next run goes on with it")
    })
  )

  rule(
    "is that of another restore if the first one has ended and the database was restored to the same moment again",
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const open = yield* Restores.open(sql)
      yield* Restores.close(
        sql,
        open.map(({ id }) => id)
      )
      yield* sql`UPDATE builder.database_identity SET identity = 'another'`
      assert.strictEqual((yield* restoreOf(RESTORED_TO, true))?.recordedAtMs, NOW, "a dry run waits from now on")
      assert.deepStrictEqual(yield* given(RESTORED_TO), [1, RESTORED_TO, NOW])
    })
  )

  rule(
    "is that of another restore if it is not before the record, which a database of that moment would have",
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* given(RECORDED), [2, RESTORED_TO, NOW])
      assert.isFalse(yield* hasSession)
    })
  )

  rule(
    "is that of another restore once the first one has ended",
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const open = yield* Restores.open(sql)
      yield* Restores.close(
        sql,
        open.map(({ id }) => id)
      )
      assert.deepStrictEqual(yield* given(minute(11)), [1, minute(11), NOW])
      assert.isFalse(yield* hasSession)
    })
  )
})
