/** A restore undoes what was taken back in the lost time. The operator repeats it before builders are paid. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
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
