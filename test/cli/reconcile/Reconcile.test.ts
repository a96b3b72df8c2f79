/** The moment from which a reconciliation reads the chains. */
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Restores from "../../../src/adapters/sql/builder/Restores.ts"
import { restoreOf } from "../../../src/cli/reconcile/Reconcile.ts"
import { migratedDatabase } from "../../support/Postgres.ts"

const [EARLY, LATE] = [1_000_000, 9_000_000]

layer(migratedDatabase, { excludeTestServices: true })("a reconciliation", (it) => {
  it.effect("begins at the earliest restore that is open, because its end ends all that are open", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      assert.isUndefined(yield* restoreOf(undefined, false))
      assert.strictEqual((yield* restoreOf(EARLY, true))?.restoredToMs, EARLY)
      assert.deepStrictEqual(yield* Restores.open(sql), [], "a dry run records nothing")
      yield* Restores.record(sql, EARLY)
      assert.strictEqual((yield* restoreOf(LATE, true))?.restoredToMs, EARLY)
      const later = yield* Restores.record(sql, LATE)
      assert.strictEqual((yield* restoreOf(LATE, false))?.restoredToMs, EARLY)
      const found = yield* restoreOf(undefined, false)
      assert.strictEqual(found?.restoredToMs, EARLY)
      assert.strictEqual(found?.recordedAtMs, later.recordedAtMs)
      assert.deepStrictEqual(
        found?.ids,
        (yield* Restores.open(sql)).map(({ id }) => id)
      )
      assert.strictEqual(found?.ids.length, 2)
      yield* Restores.close(sql, found?.ids ?? [])
      assert.strictEqual((yield* restoreOf(LATE, false))?.restoredToMs, LATE)
      assert.strictEqual((yield* restoreOf(EARLY, false))?.restoredToMs, EARLY, "an earlier moment than the last one")
    })
  )

  it.effect("begins at no moment of the future, after which there is nothing to find", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(restoreOf(Date.now() + 3_600_000, false))
      assert.include(refused.message, "is in the future")
    })
  )
})
