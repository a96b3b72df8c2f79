/** Decisions of the operator about a reconciliation are stored with their audit entries, or not at all. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Ref } from "effect"
import * as Money from "../../../src/adapters/sql/builder/LostMoney.ts"
import * as Restores from "../../../src/adapters/sql/builder/Restores.ts"
import * as Stores from "../../../src/adapters/sql/builder/Stores.ts"
import * as Decisions from "../../../src/cli/reconcile/Decisions.ts"
import * as Address from "../../../src/domain/Address.ts"
import { AuditLog } from "../../../src/ports/builder/AuditLog.ts"
import { Ledger } from "../../../src/ports/builder/Ledger.ts"
import { StoreUnavailable } from "../../../src/ports/shared/Store.ts"
import { register } from "../../support/BuilderFixtures.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { migratedDatabase } from "../../support/Postgres.ts"

const TOKEN = Address.of(`0x${"11".repeat(20)}`)

/** An audit log that refuses its first entry. */
const failingOnce = Layer.effect(
  AuditLog,
  Effect.gen(function* () {
    const audit = yield* AuditLog
    const failed = yield* Ref.make(false)
    return AuditLog.of({
      ...audit,
      append: (entry) =>
        Effect.flatMap(Ref.getAndSet(failed, true), (isMended) =>
          isMended
            ? audit.append(entry)
            : Effect.fail(new StoreUnavailable({ operation: "AuditLog.append", detail: "connection lost" }))
        )
    })
  })
)

const stores = Stores.layer.pipe(Layer.provideMerge(migratedDatabase))

const scene = failingOnce.pipe(Layer.provideMerge(stores))

const fee = (sweepId: string) => ({
  sweepId,
  chainId: 1,
  token: TOKEN,
  amount: 7n,
  recipient: TOKEN,
  paid: false,
  txHash: hash(sweepId),
  settledAtMs: 0
})

/** Number of entries in the audit log about an action. */
const audited = (action: string) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const rows = yield* sql`SELECT 1 AS entry FROM builder.audit_log WHERE action = ${action}`
    return rows.length
  })

const owed = Effect.gen(function* () {
  const totals = yield* (yield* Ledger).totals("alpha")
  return totals.reduce((sum, { earned, paid }) => sum + earned - paid, 0n)
})

const rule = <A, E>(name: string, test: Effect.Effect<A, E, Layer.Success<typeof scene>>) =>
  it.live(name, () => Effect.provide(test, Layer.fresh(scene)))

describe("a decision about a reconciliation", () => {
  rule(
    "to allow payouts is made only with its audit entry",
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { id } = yield* Restores.record(sql, 1_000)
      const report = { restoredToMs: 1_000, open: [], restoreIds: [id] }
      yield* Effect.flip(Decisions.force(report, "known"))
      assert.isTrue(yield* Restores.isUnreconciled(sql))
      yield* Decisions.force(report, "known")
      assert.isFalse(yield* Restores.isUnreconciled(sql))
      assert.strictEqual(yield* audited("restore.force"), 1)
    })
  )

  rule(
    "to assign a fee is made only with its audit entry, and once",
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* register
      for (const id of ["a", "b"]) yield* Money.keepUnassigned(sql, fee(id))
      yield* Effect.flip(Decisions.assign("alpha", ["a"]))
      assert.strictEqual(yield* owed, 0n)
      assert.deepStrictEqual(yield* Decisions.assign("alpha", ["a"]), [])
      assert.deepStrictEqual(yield* Decisions.assign("alpha", ["a", "b"]), ["a"])
      assert.strictEqual(yield* owed, 14n)
      assert.strictEqual(yield* audited("accrual.restore"), 2)
      const refused = yield* Effect.flip(Decisions.assign("another", ["a", "b"]))
      assert.include(refused.message, "no fee waits for these sweeps: a, b")
      yield* (yield* Ledger).reverse("b")
      assert.include((yield* Effect.flip(Decisions.assign("alpha", ["a", "b"]))).message, "these sweeps: b")
    })
  )

  rule(
    "to explain a transfer is made only with its audit entry",
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const payment = { chainId: 1, token: TOKEN, txHash: hash("transfer") }
      yield* Effect.flip(Decisions.explain(payment, "moved"))
      assert.deepStrictEqual(yield* Money.explained(sql, 1), [])
      yield* Decisions.explain(payment, "moved")
      assert.deepStrictEqual(yield* Money.explained(sql, 1), [{ token: TOKEN, txHash: payment.txHash }])
      assert.strictEqual(yield* audited("payment.explain"), 1)
    })
  )
})
