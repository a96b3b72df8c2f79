/** A restore undoes what was taken back in the lost time. The operator repeats it before builders are paid. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Restores from "../../../src/adapters/sql/builder/Restores.ts"
import { reconcile, restoreOf } from "../../../src/cli/reconcile/Reconcile.ts"
import { UsageError } from "../../../src/cli/UsageError.ts"
import { minute, sceneOf } from "./scene.ts"

const run = Effect.fnUntraced(function* (dryRun: boolean) {
  const restore = yield* restoreOf(undefined, dryRun)
  if (restore === undefined) return yield* new UsageError({ detail: "no restore is recorded" })
  return yield* reconcile({ restore, dryRun })
})

describe("a reconciliation", () => {
  it.effect("tells to repeat what was taken back after the restored moment, until the restore is over", () =>
    Effect.gen(function* () {
      yield* Restores.record(yield* PgClient.PgClient, minute(12))
      for (const dryRun of [true, false]) {
        const report = yield* run(dryRun)
        assert.strictEqual(report.reconciled, !dryRun, "it stops no payouts")
        assert.deepStrictEqual(
          report.open.map(({ stopsPayouts }) => stopsPayouts),
          [false]
        )
        for (const lost of [
          "reversals",
          "suspensions",
          "markups",
          "caps",
          "keys",
          "pauses",
          "limits",
          "endpoints",
          "lanes",
          "sweep operate resume all",
          new Date(minute(12)).toISOString()
        ]) {
          assert.include(report.open[0]?.text, lost)
        }
      }
      const last = yield* run(false)
      assert.deepStrictEqual([last.reconciled, last.open], [true, []])
    }).pipe(Effect.provide(Layer.fresh(sceneOf(minute(14)))))
  )
})

/** A restore that an earlier release recorded, which paused nothing. */
const recordedBefore = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`INSERT INTO builder.restores (restored_to, recorded_at)
    VALUES (${new Date(minute(12))}, ${new Date(minute(14))})`
  return sql
})

const pauses = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql<{ value: string; reason: string }>`
    SELECT value, reason FROM orchestrator.operator_overrides WHERE name = 'pause:all'`
  return rows
})

/** The operator resumes all sweeps, as the orchestrator stores and logs it. */
const resume = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const at = new Date(minute(16))
  yield* sql`DELETE FROM orchestrator.operator_overrides WHERE name = 'pause:all'`
  yield* sql`INSERT INTO orchestrator.operator_log (at, actor, action, subject, details)
    VALUES (${at}, 'ops', 'pause.running', 'all', '{}')`
})

describe("a restore that an earlier release recorded", () => {
  it.effect.each([
    ["continued", undefined, minute(12)],
    ["named again", minute(12), minute(12)],
    ["moved", minute(11), minute(11)]
  ] as const)(
    "pauses all sweeps when it is %s, and no more after an operator resumed them",
    ([, sinceMs, restoredTo]) =>
      Effect.gen(function* () {
        yield* recordedBefore
        yield* TestClock.setTime(minute(15))
        yield* restoreOf(sinceMs, true)
        assert.deepStrictEqual(yield* pauses, [], "a dry run changes nothing")
        yield* restoreOf(sinceMs, false)
        const [pause] = yield* pauses
        assert.strictEqual(pause?.value, "paused")
        assert.include(pause?.reason, new Date(restoredTo).toISOString())
        yield* resume
        yield* TestClock.setTime(minute(17))
        yield* restoreOf(sinceMs, false)
        assert.deepStrictEqual(yield* pauses, [])
      }).pipe(Effect.provide(Layer.fresh(sceneOf(minute(14)))))
  )

  it.effect("pauses nothing if an operator has decided since it was recorded", () =>
    Effect.gen(function* () {
      yield* recordedBefore
      yield* resume
      yield* TestClock.setTime(minute(17))
      yield* restoreOf(undefined, false)
      assert.deepStrictEqual(yield* pauses, [])
    }).pipe(Effect.provide(Layer.fresh(sceneOf(minute(14)))))
  )

  it.effect("pauses nothing once it has ended", () =>
    Effect.gen(function* () {
      const sql = yield* recordedBefore
      yield* sql`UPDATE builder.restores SET reconciled_at = ${new Date(minute(15))}`
      yield* TestClock.setTime(minute(17))
      yield* restoreOf(undefined, false)
      assert.deepStrictEqual(yield* pauses, [])
    }).pipe(Effect.provide(Layer.fresh(sceneOf(minute(14)))))
  )
})

describe("a restore of which an operator ended the pause", () => {
  it.effect("stays as the operator chose when its moment changes", () =>
    Effect.gen(function* () {
      yield* restoreOf(minute(12), false)
      assert.lengthOf(yield* pauses, 1)
      yield* resume
      yield* TestClock.setTime(minute(17))
      for (const sinceMs of [undefined, minute(12), minute(11)]) {
        yield* restoreOf(sinceMs, false)
        assert.deepStrictEqual(yield* pauses, [])
      }
    }).pipe(Effect.provide(Layer.fresh(sceneOf(minute(14)))))
  )
})
