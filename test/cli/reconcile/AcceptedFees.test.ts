/** Anybody can name any account as the builder of a sweep. After a restore, an operator accepts such a fee, and payouts go on. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Restores from "../../../src/adapters/sql/builder/Restores.ts"
import * as Decisions from "../../../src/cli/reconcile/Decisions.ts"
import type * as Address from "../../../src/domain/Address.ts"
import { Builders } from "../../../src/ports/builder/Builders.ts"
import { Ledger } from "../../../src/ports/builder/Ledger.ts"
import type { Log } from "../../../src/ports/shared/Chains.ts"
import { register } from "../../support/BuilderFixtures.ts"
import { address, hash } from "../../support/IntentFixtures.ts"
import { offer, source, sweptLog } from "../../support/RelayFixtures.ts"
import { earn, minedAt, minute, NEWEST, PAYEE, reconcileNow, sceneOf, TOKEN } from "./scene.ts"

const STRANGER = address(0x99)

/** A sweep of an order that the database does not have, at this minute of the hour after the restored one. */
const swept = (name: string, builder: Address.Address, atMinute = 0): Log =>
  minedAt(
    name,
    minute(13, atMinute),
    sweptLog(offer({ id: name, order: { builder, tokenIn: TOKEN, builderFee: 1n, nonce: BigInt(atMinute) } }))
  )

const stray = `${hash("stray")}_0`

const given = Effect.gen(function* () {
  yield* register
  yield* earn("sweep", 5n)
  yield* TestClock.setTime(minute(14))
  yield* Restores.record(yield* PgClient.PgClient, minute(12))
})

const reasons = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql<{ subject: string; reason: string }>`
    SELECT subject, details ->> 'reason' AS reason FROM builder.audit_log WHERE action = 'fee.accept'`
  return rows.map(({ reason, subject }) => [subject, reason])
})

const rule = <A, E>(
  name: string,
  logs: ReadonlyArray<Log>,
  test: Effect.Effect<A, E, Layer.Success<ReturnType<typeof sceneOf>>>
) => it.effect(name, () => Effect.provide(Effect.andThen(given, test), Layer.fresh(sceneOf(minute(10), logs))))

describe("a builder's fee that went to an unknown account", () => {
  rule(
    "stops no payouts once the operator accepts it, and stays assignable as one that is paid",
    [swept("stray", STRANGER), swept("other", STRANGER, 1)],
    Effect.gen(function* () {
      const [item] = (yield* reconcileNow()).open
      assert.include(item?.text, `sweep reconcile accept --chain ${source.id} --reason`)
      assert.deepStrictEqual(yield* Decisions.accept(source.id, [stray], "not ours"), [])
      const second = yield* reconcileNow()
      assert.isFalse(second.reconciled, "the other one is open")
      assert.notInclude(second.open[0]?.text, stray)
      const both = [stray, `${hash("other")}_0`]
      assert.deepStrictEqual(yield* Decisions.accept(source.id, both, "nor this"), [stray])
      const last = yield* reconcileNow()
      assert.isTrue(last.reconciled)
      assert.deepStrictEqual(
        last.open.map(({ stopsPayouts }) => stopsPayouts),
        [false]
      )
      assert.deepStrictEqual(
        last.unassigned.map(({ amount, paid, recipient, sweepId }) => ({ amount, paid, recipient, sweepId })),
        both.map((sweepId) => ({ amount: 1n, paid: true, recipient: STRANGER, sweepId }))
      )
      assert.deepStrictEqual(yield* reasons, [
        [stray, "not ours"],
        [both[1], "nor this"]
      ])
      yield* Decisions.assign("alpha", both)
      const [total] = yield* (yield* Ledger).totals("alpha")
      assert.deepInclude(total, { earned: 7n, paid: 2n })
    })
  )

  rule(
    "is the only one that can be accepted",
    [
      swept("in the vault", source.builderVault),
      swept("paid", PAYEE, 1),
      swept("stray", STRANGER, 2),
      // Three blocks confirm one.
      { ...swept("unconfirmed", STRANGER, 3), blockNumber: NEWEST - 1n }
    ],
    Effect.gen(function* () {
      const wrong = ["in the vault", "paid", "unconfirmed", "missing"].map((name) => `${hash(name)}_0`)
      const ids = [...wrong, `${hash("stray")}_1`, "text"]
      const refused = yield* Effect.flip(Decisions.accept(source.id, [...ids, stray], "mistaken"))
      assert.include(refused.message, `no fee of these sweeps went to an unknown account: ${ids.join(", ")}`)
      assert.deepStrictEqual(yield* reasons, [], "nothing is accepted")
      yield* (yield* Builders).create({
        id: "again",
        name: "again",
        builderBps: 0,
        maxBuilderBps: 0,
        payoutAddress: STRANGER,
        payoutMode: "onchain",
        createdAtMs: 0
      })
      yield* Effect.flip(Decisions.accept(source.id, [stray], "signed up meanwhile"))
      const elsewhere = yield* Effect.flip(Decisions.accept(42_161, [stray], "mistaken"))
      assert.include(elsewhere.message, "42161")
    })
  )
})
