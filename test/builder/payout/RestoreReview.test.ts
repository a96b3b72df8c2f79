/** A database that nobody reconciled raises an alert, also one that lost its last writes to a standby that took over. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Restores from "../../../src/adapters/sql/builder/Restores.ts"
import * as SqlPayouts from "../../../src/adapters/sql/builder/Payouts.ts"
import * as AlertsInMemory from "../../../src/adapters/memory/shared/Alerts.ts"
import * as RestoreReview from "../../../src/builder/payout/RestoreReview.ts"
import { Payouts, RestoreUnreconciled } from "../../../src/ports/builder/Payouts.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import { migratedDatabase } from "../../support/Postgres.ts"

const standing = Effect.flatMap(Alerts, ({ list }) =>
  Effect.map(list, (alerts) => alerts.map(({ kind, severity }) => `${severity} ${kind}`))
)

describe("the review of restores", () => {
  it.effect("raises an alert until the database is reconciled", () =>
    Effect.gen(function* () {
      let isReconciled = true
      const payouts = Layer.mock(Payouts)({
        requireReconciled: Effect.suspend(() => (isReconciled ? Effect.void : Effect.fail(new RestoreUnreconciled())))
      })
      yield* Layer.build(RestoreReview.layer.pipe(Layer.provide(payouts)))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing, [])
      isReconciled = false
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing, ["critical database_unreconciled"])
      isReconciled = true
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing, [])
    }).pipe(Effect.provide(AlertsInMemory.layer))
  )
})

describe("a real database", () => {
  const books = SqlPayouts.layer.pipe(Layer.provideMerge(migratedDatabase))

  it.effect("counts as restored after a takeover that nobody recorded", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const review = Layer.fresh(RestoreReview.layer)
      const kinds = Effect.gen(function* () {
        const told = yield* Latch.make()
        const alerts = yield* Alerts
        const listening = Layer.succeed(Alerts, {
          ...alerts,
          raise: (alert) => Effect.andThen(alerts.raise(alert), told.open),
          clear: (key) => Effect.andThen(alerts.clear(key), told.open)
        })
        yield* Effect.scoped(Effect.andThen(Layer.build(review.pipe(Layer.provide(listening))), told.await))
        return yield* standing
      })
      yield* sql`INSERT INTO builder.database_identity (identity) VALUES ('another')`
      assert.deepStrictEqual(yield* kinds, ["critical database_unreconciled"])
      const { id } = yield* Restores.record(sql, 1_000)
      assert.deepStrictEqual(yield* kinds, ["critical database_unreconciled"])
      yield* Restores.close(sql, [id])
      assert.deepStrictEqual(yield* kinds, [])
    }).pipe(Effect.provide(Layer.merge(books, AlertsInMemory.layer)))
  )
})
