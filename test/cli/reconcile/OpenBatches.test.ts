/** A batch that the restored database has open may have been paid long before the restored moment. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Restores from "../../../src/adapters/sql/builder/Restores.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { Payouts } from "../../../src/ports/builder/Payouts.ts"
import type { Log } from "../../../src/ports/shared/Chains.ts"
import { register } from "../../support/BuilderFixtures.ts"
import { address, hash } from "../../support/IntentFixtures.ts"
import { source } from "../../support/RelayFixtures.ts"
import { type Answers, earn, minute, PAYEE, reconcileNow, sceneOf, TOKEN, transfer } from "./scene.ts"

/** A batch of 5 that was opened at ten, in a database that was restored to noon. */
const given = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* register
  yield* earn("sweep", 5n)
  const payees = [{ builderId: "alpha", payoutAddress: PAYEE }]
  yield* (yield* Payouts).open({ id: "batch", chainId: source.id, token: TOKEN, minAmount: 0n, payees })
  yield* TestClock.setTime(minute(14))
  yield* Restores.record(sql, minute(12))
})

const batch = Effect.gen(function* () {
  const found = yield* (yield* Payouts).list({ limit: 10 })
  return found.map(({ id, status, txHash }) => ({ id, status, txHash }))
})

const rule = <A, E>(
  name: string,
  transfers: ReadonlyArray<Log>,
  test: Effect.Effect<A, E, Layer.Success<ReturnType<typeof sceneOf>>>,
  answers: Answers = {}
) =>
  it.effect(name, () =>
    Effect.provide(Effect.andThen(given, test), Layer.fresh(sceneOf(minute(10), transfers, Effect.void, answers)))
  )

/** Permit2 has spent every nonce. */
const spent = { call: () => Effect.succeed<Hex>(`0x${"ff".repeat(32)}`) }

describe("a batch that is open in a restored database", () => {
  rule(
    "is booked as paid by a transaction from long before the restored moment",
    [transfer("payment", minute(10, 30), 5n)],
    Effect.gen(function* () {
      const found = ({ payments }: { readonly payments: ReadonlyArray<{ outcome: string; txHash: string }> }) =>
        payments.map(({ outcome, txHash }) => ({ outcome, txHash }))
      const paid = [{ outcome: "open_batch", txHash: hash("payment") }]
      assert.deepStrictEqual(found(yield* reconcileNow(true)), paid)
      assert.deepStrictEqual(yield* batch, [{ id: "batch", status: "open", txHash: undefined }])
      const report = yield* reconcileNow()
      assert.deepStrictEqual([report.reconciled, report.open, found(report)], [true, [], paid])
      assert.deepStrictEqual(yield* batch, [{ id: "batch", status: "paid", txHash: hash("payment") }])
      assert.deepStrictEqual(found(yield* reconcileNow()), [], "a second run finds nothing")
    })
  )

  rule(
    "stays open if only transfers from before it was opened are like its payment",
    [transfer("before", minute(9, 30), 5n)],
    Effect.gen(function* () {
      const report = yield* reconcileNow()
      assert.deepStrictEqual([report.reconciled, report.open, report.payments], [true, [], []])
      assert.deepStrictEqual(yield* batch, [{ id: "batch", status: "open", txHash: undefined }])
    })
  )

  rule(
    "is booked as paid by a version of its payment that the database forgot, beside one that it has",
    [transfer("version 2", minute(13), 5n)],
    Effect.gen(function* () {
      const deadline = minute(15) / 1_000
      yield* (yield* Payouts).record("batch", { txHash: hash("version 1"), raw: "0x02", deadline }, 0)
      const report = yield* reconcileNow()
      assert.deepStrictEqual([report.reconciled, report.open], [true, []])
      assert.deepStrictEqual(yield* batch, [{ id: "batch", status: "paid", txHash: hash("version 2") }])
    }),
    spent
  )

  rule(
    "does not make old transfers that pay something else an open item",
    [
      transfer("moved", minute(10, 20), 7n, { to: address(0x99) }),
      transfer("payment", minute(10, 30), 5n),
      transfer("again", minute(10, 40), 5n),
      transfer("recent", minute(13), 7n, { to: address(0x99) })
    ],
    Effect.gen(function* () {
      const report = yield* reconcileNow()
      assert.deepStrictEqual(
        report.payments.map(({ outcome, txHash }) => [outcome, txHash]),
        [
          ["open_batch", hash("payment")],
          ["unknown", hash("recent")]
        ]
      )
      assert.strictEqual(report.open.length, 1)
    })
  )
})
