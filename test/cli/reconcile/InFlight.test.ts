/** A payment that the restored database forgot may still be mined. Its batch must not be paid again before that is impossible. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Ref } from "effect"
import { TestClock } from "effect/testing"
import * as Restores from "../../../src/adapters/sql/builder/Restores.ts"
import { MAX_PAYMENT_SECONDS } from "../../../src/builder/payout/PaymentProof.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { register } from "../../support/BuilderFixtures.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { offer, source, sweptLog } from "../../support/RelayFixtures.ts"
import { blockAt, earn, minedAt, minute, reconcileNow, sceneOf, TOKEN, transfer } from "./scene.ts"

const RECORDED = minute(14)

/** Blocks have whole minutes, so this is the first one in which no forgotten payment can be mined. */
const SAFE = RECORDED + MAX_PAYMENT_SECONDS * 1_000 + 60_000

/** Confirmations of the chain, the including block being the first. */
const depth = (source.confirmations - 1) * 60_000

/** A builder is owed 5 in a database that was restored to noon. `confirmed` moves the newest confirmed block to a moment. */
const rule = <A, E>(
  name: string,
  {
    code = "0x",
    isOwed = true,
    late = []
  }: { readonly code?: Hex; readonly isOwed?: boolean; readonly late?: Parameters<typeof sceneOf>[1] },
  test: (
    confirmed: (atMs: number) => Effect.Effect<void>
  ) => Effect.Effect<A, E, Layer.Success<ReturnType<typeof sceneOf>>>
) =>
  it.effect(name, () =>
    Effect.gen(function* () {
      const head = yield* Ref.make(RECORDED)
      const answers = {
        block: (number: bigint | "latest") =>
          typeof number === "bigint"
            ? Effect.succeedSome(blockAt(number))
            : Effect.map(Ref.get(head), (atMs) => Option.some(blockAt(BigInt(atMs / 60_000)))),
        code: () => Effect.succeed(code)
      }
      yield* Effect.gen(function* () {
        yield* register
        if (isOwed) yield* earn("sweep", 5n)
        yield* TestClock.setTime(RECORDED)
        yield* Restores.record(yield* PgClient.PgClient, minute(12))
        yield* test((atMs) => Ref.set(head, atMs + depth))
      }).pipe(Effect.provide(Layer.fresh(sceneOf(minute(10), late, Effect.void, answers))))
    })
  )

const until = new Date(RECORDED + MAX_PAYMENT_SECONDS * 1_000).toISOString()

describe("a payment that the database forgot, and that no node of the chain knows", () => {
  rule("keeps the restore open until it can no longer be mined", {}, (confirmed) =>
    Effect.gen(function* () {
      for (const atMs of [RECORDED + 60_000, SAFE - 60_000]) {
        yield* confirmed(atMs)
        const report = yield* reconcileNow()
        assert.isFalse(report.reconciled)
        assert.deepStrictEqual(
          report.open.map(({ stopsPayouts }) => stopsPayouts),
          [true]
        )
        assert.include(report.open[0]?.text, `may still be mined on ${source.name} until ${until}`)
      }
      yield* confirmed(SAFE)
      const last = yield* reconcileNow()
      assert.deepStrictEqual([last.reconciled, last.open], [true, []])
    })
  )

  rule("is booked if it is mined at the last moment", { late: [transfer("late", SAFE - 60_000, 5n)] }, (confirmed) =>
    Effect.gen(function* () {
      yield* confirmed(RECORDED + 60_000)
      assert.isFalse((yield* reconcileNow()).reconciled)
      yield* confirmed(SAFE)
      const report = yield* reconcileNow()
      assert.isTrue(report.reconciled)
      assert.deepStrictEqual(
        report.payments.map(({ outcome, txHash }) => [outcome, txHash]),
        [["lost_batch", hash("late")]]
      )
    })
  )

  rule(
    "may pay a fee of a sweep that the database forgot too",
    {
      isOwed: false,
      late: [
        minedAt(
          "settled",
          minute(13),
          sweptLog(offer({ id: "lost", order: { builder: source.builderVault, tokenIn: TOKEN, builderFee: 1n } }))
        )
      ]
    },
    (confirmed) =>
      Effect.gen(function* () {
        yield* confirmed(RECORDED + 60_000)
        assert.isFalse((yield* reconcileNow()).reconciled)
        yield* confirmed(SAFE)
        assert.isTrue((yield* reconcileNow()).reconciled)
      })
  )

  rule("is signed by a vault that has delegated its account", { code: `0xef0100${"11".repeat(20)}` }, (confirmed) =>
    Effect.gen(function* () {
      yield* confirmed(RECORDED + 60_000)
      assert.isFalse((yield* reconcileNow()).reconciled)
    })
  )

  rule("is none of a vault that is a contract, which signs no permit", { code: "0x6001" }, (confirmed) =>
    Effect.gen(function* () {
      yield* confirmed(RECORDED)
      const report = yield* reconcileNow()
      assert.deepStrictEqual([report.reconciled, report.open], [true, []])
    })
  )

  rule("is none of a chain on which no builder earned anything", { isOwed: false }, (confirmed) =>
    Effect.gen(function* () {
      yield* confirmed(RECORDED - 60_000)
      const early = yield* reconcileNow()
      assert.include(early.open[0]?.text, "no confirmed block from after the restore")
      yield* confirmed(RECORDED)
      const report = yield* reconcileNow()
      assert.deepStrictEqual([report.reconciled, report.open], [true, []])
    })
  )
})
