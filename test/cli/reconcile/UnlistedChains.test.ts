/** A chain that the books name and the chains file lacks was not compared, so payouts stay refused. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Money from "../../../src/adapters/sql/builder/LostMoney.ts"
import * as Restores from "../../../src/adapters/sql/builder/Restores.ts"
import * as Decisions from "../../../src/cli/reconcile/Decisions.ts"
import { Ledger } from "../../../src/ports/builder/Ledger.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { register } from "../../support/BuilderFixtures.ts"
import { address, attempt, hash } from "../../support/IntentFixtures.ts"
import { earn, minute, reconcileNow, sceneOf, TOKEN } from "./scene.ts"

/** A chain that the books name and the scene does not have. */
const MISSING = 42_161

type Scene = Layer.Success<ReturnType<typeof sceneOf>>

const paid = Effect.gen(function* () {
  const accrual = { builderId: "alpha", sweepId: "paid", token: TOKEN, amount: 5n, chainId: MISSING }
  yield* (yield* Ledger).accrue({ ...accrual, paidTxHash: hash("paid") })
})

const reversed = Effect.gen(function* () {
  yield* earn("wrong", 5n, MISSING)
  yield* (yield* Ledger).reverse("wrong")
})

const unassigned = Effect.gen(function* () {
  yield* Money.keepUnassigned(yield* PgClient.PgClient, {
    sweepId: "lost",
    chainId: MISSING,
    token: TOKEN,
    amount: 7n,
    recipient: TOKEN,
    paid: false,
    txHash: hash("lost"),
    settledAtMs: 0
  })
})

const lane = Effect.gen(function* () {
  const transactions = yield* RelayTransactions
  yield* transactions.allocate({
    chainId: MISSING,
    lane: address(0x1a4e),
    chainNonce: 0n,
    intentIds: [],
    sign: (nonce) => Effect.succeed(attempt(`transaction ${nonce}`))
  })
})

const isOfMissing = ({ text }: { readonly text: string }) => text.includes(`chain ${MISSING} is in the books`)

const rule = <E>(name: string, given: Effect.Effect<unknown, E, Scene>) =>
  it.effect(name, () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* register
      yield* earn("listed", 3n)
      yield* Restores.record(sql, minute(12))
      yield* given
      assert.deepStrictEqual((yield* reconcileNow(true)).open.filter(isOfMissing).length, 1, "a dry run tells it")
      const report = yield* reconcileNow()
      const open = report.open.filter(({ stopsPayouts }) => stopsPayouts)
      assert.deepStrictEqual([report.reconciled, open.length, open.filter(isOfMissing).length], [false, 1, 1])
      assert.isTrue(yield* Restores.isUnreconciled(sql))
      yield* Decisions.force(report, "this chain is abandoned")
      assert.isFalse(yield* Restores.isUnreconciled(sql))
    }).pipe(Effect.provide(Layer.fresh(sceneOf(minute(14)))))
  )

describe("a reconciliation does not end a restore while the chains file lacks a chain", () => {
  rule("on which a builder is owed something", earn("owed", 5n, MISSING))
  rule("on which a builder was paid", paid)
  rule("on which an accrual was reversed", reversed)
  rule("on which a fee waits for its builder", unassigned)
  rule("on which the relayer has a lane", lane)

  it.effect("and ends it if the file has every chain of the books", () =>
    Effect.gen(function* () {
      yield* register
      yield* earn("listed", 3n)
      yield* Restores.record(yield* PgClient.PgClient, minute(12))
      const report = yield* reconcileNow()
      assert.deepStrictEqual([report.reconciled, report.open], [true, []])
    }).pipe(Effect.provide(Layer.fresh(sceneOf(minute(14)))))
  )
})
