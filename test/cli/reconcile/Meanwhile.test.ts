/** A restore may be recorded, and another run may end one, while a reconciliation runs. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Ref, Schema } from "effect"
import * as Restores from "../../../src/adapters/sql/builder/Restores.ts"
import * as Decisions from "../../../src/cli/reconcile/Decisions.ts"
import { Report, shown } from "../../../src/cli/reconcile/Report.ts"
import { register } from "../../support/BuilderFixtures.ts"
import { address } from "../../support/IntentFixtures.ts"
import { earn, minute, reconcileNow, sceneOf, transfer } from "./scene.ts"

const [EARLY, LATE] = [minute(10), minute(12)]

const open = Effect.gen(function* () {
  const found = yield* Restores.open(yield* PgClient.PgClient)
  return found.map(({ restoredToMs }) => restoredToMs)
})

/** A chain with a transfer that nothing explains. */
const unknown = [transfer("unknown", minute(13), 7n, { to: address(0x99) })]

/** Runs a test with a restore to `EARLY`. Runs the effect that it gives to `later` once, in the middle of the next reconciliation. */
const rule = (
  name: string,
  transfers: Parameters<typeof sceneOf>[1],
  test: (
    sql: PgClient.PgClient,
    later: (action: Effect.Effect<unknown, unknown>) => Effect.Effect<void>
  ) => Effect.Effect<void, unknown, Layer.Success<ReturnType<typeof sceneOf>>>
) =>
  it.effect(name, () =>
    Effect.gen(function* () {
      const next = yield* Ref.make<Effect.Effect<void>>(Effect.void)
      const meanwhile = Effect.flatten(Ref.getAndSet(next, Effect.void))
      yield* Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* register
        yield* earn("sweep", 3n)
        yield* Restores.record(sql, EARLY)
        yield* test(sql, (action) => Ref.set(next, Effect.asVoid(Effect.orDie(action))))
      }).pipe(Effect.provide(Layer.fresh(sceneOf(minute(14), transfers, meanwhile))))
    })
  )

describe("a reconciliation", () => {
  rule("leaves a restore open that was recorded while it ran", [], (sql, later) =>
    Effect.gen(function* () {
      yield* later(Restores.record(sql, LATE))
      const report = yield* reconcileNow()
      assert.deepStrictEqual(yield* open, [LATE])
      assert.isFalse(report.reconciled)
      assert.deepStrictEqual(
        report.open.map(({ stopsPayouts, text }) => [stopsPayouts, text]),
        [[true, "another restore was recorded while this ran. Run this again"]]
      )
      assert.include(shown(report), "not reconciled: builders are not paid")
      assert.notProperty(yield* Schema.encodeEffect(Report)(report), "restoreIds")
      const next = yield* reconcileNow()
      assert.deepStrictEqual([next.reconciled, next.open, yield* open], [true, [], []])
    })
  )

  rule("tells that payouts are possible if another run has ended the restore", unknown, (sql, later) =>
    Effect.gen(function* () {
      const [restore] = yield* Restores.open(sql)
      yield* later(Restores.close(sql, [restore?.id ?? ""]))
      const report = yield* reconcileNow()
      assert.isTrue(report.reconciled)
      assert.strictEqual(report.open.length, 1)
      assert.include(shown(report), "payouts are possible, but the items above remain")
    })
  )

  rule("that is forced ends no restore if another one was recorded while it ran", unknown, (sql, later) =>
    Effect.gen(function* () {
      yield* later(Restores.record(sql, LATE))
      const refused = yield* Effect.flip(Decisions.force(yield* reconcileNow(), "known"))
      assert.include(refused.message, "another restore was recorded while this ran")
      assert.deepStrictEqual(yield* open, [EARLY, LATE])
      yield* Decisions.force(yield* reconcileNow(), "known")
      assert.deepStrictEqual(yield* open, [])
    })
  )

  rule("ends no restore of a database that took over while it ran", [], (sql, later) =>
    Effect.gen(function* () {
      yield* later(sql`UPDATE builder.database_identity SET identity = 'another'`)
      const report = yield* reconcileNow()
      assert.isFalse(report.reconciled)
      assert.deepStrictEqual(
        report.open.map(({ stopsPayouts, text }) => [stopsPayouts, text]),
        [[true, "another database took over while this ran. Run this again with its moment as --since"]]
      )
      const refused = yield* Effect.flip(Decisions.force(report, "known"))
      assert.include(refused.message, "another database took over")
      assert.deepStrictEqual([yield* open, yield* Restores.isForeign(sql)], [[EARLY], true])
    })
  )
})
