/** The vault may have changed since the restored moment. Payments of the former one are found, or payouts stay refused. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Money from "../../../src/adapters/sql/builder/LostMoney.ts"
import * as Restores from "../../../src/adapters/sql/builder/Restores.ts"
import * as Decisions from "../../../src/cli/reconcile/Decisions.ts"
import { shown } from "../../../src/cli/reconcile/Report.ts"
import type * as Address from "../../../src/domain/Address.ts"
import { Builders } from "../../../src/ports/builder/Builders.ts"
import { Ledger } from "../../../src/ports/builder/Ledger.ts"
import { Payouts } from "../../../src/ports/builder/Payouts.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import type { Log } from "../../../src/ports/shared/Chains.ts"
import { register } from "../../support/BuilderFixtures.ts"
import { address, hash } from "../../support/IntentFixtures.ts"
import { destination, offer, source, sweptLog } from "../../support/RelayFixtures.ts"
import { type Answers, earn, minedAt, minute, PAYEE, reconcileNow, sceneOf, TOKEN, transfer } from "./scene.ts"

const [FORMER, STRANGER] = [address(0x0f), address(0x99)]

const renewed = { ...source, formerVaults: [FORMER] }

/** A builder is owed 5 in a database that was restored to noon. */
const given = Effect.gen(function* () {
  yield* register
  yield* earn("sweep", 5n)
  yield* TestClock.setTime(minute(14))
  yield* Restores.record(yield* PgClient.PgClient, minute(12))
})

const intent = (changes: { readonly builder: Address.Address; readonly owner?: number }) =>
  offer({
    id: `intent ${changes.builder}`,
    owner: changes.owner ?? 1,
    attributed: { builderId: "alpha", payoutMode: "ledger" },
    order: { builder: changes.builder, tokenIn: TOKEN }
  })

/** A settlement whose event names this account, of an intent that the database has forgotten. */
const settled = (builder: Address.Address) => minedAt("settled", minute(13), sweptLog(intent({ builder })))

const owed = Effect.gen(function* () {
  const rows = yield* Money.owed(yield* PgClient.PgClient, source.id)
  return rows.map(({ amount }) => amount)
})

const rule = <A, E>(
  name: string,
  logs: ReadonlyArray<Log>,
  answers: Answers,
  test: Effect.Effect<A, E, Layer.Success<ReturnType<typeof sceneOf>>>
) =>
  it.effect(name, () =>
    Effect.provide(Effect.andThen(given, test), Layer.fresh(sceneOf(minute(10), logs, Effect.void, answers)))
  )

describe("a restore from before the vault was changed", () => {
  rule(
    "books what the former vault paid for a batch that the books forgot",
    [transfer("payment", minute(13), 5n, { from: FORMER })],
    { chain: renewed },
    Effect.gen(function* () {
      const report = yield* reconcileNow()
      assert.deepStrictEqual(
        report.payments.map(({ outcome, txHash }) => [outcome, txHash]),
        [["lost_batch", hash("payment")]]
      )
      assert.deepStrictEqual([report.reconciled, report.open], [true, []])
      assert.deepStrictEqual(yield* owed, [])
    })
  )

  rule(
    "books what the former vault paid for a batch that is open, long before the restored moment",
    [transfer("payment", minute(10, 30), 5n, { from: FORMER })],
    { chain: renewed },
    Effect.gen(function* () {
      const payees = [{ builderId: "alpha", payoutAddress: PAYEE }]
      yield* TestClock.setTime(minute(10))
      yield* (yield* Payouts).open({ id: "batch", chainId: source.id, token: TOKEN, minAmount: 0n, payees })
      yield* TestClock.setTime(minute(14))
      const report = yield* reconcileNow()
      assert.deepStrictEqual([report.reconciled, report.open], [true, []])
      const batches = yield* (yield* Payouts).list({ limit: 10 })
      assert.deepStrictEqual(
        batches.map(({ status, txHash }) => [status, txHash]),
        [["paid", hash("payment")]]
      )
    })
  )

  rule(
    "takes the move of the balance to the present vault for no payment",
    [transfer("moved", minute(13), 5n, { from: FORMER, to: source.builderVault })],
    { chain: renewed },
    Effect.gen(function* () {
      const report = yield* reconcileNow()
      assert.deepStrictEqual(
        report.payments.map(({ outcome }) => outcome),
        ["moved"]
      )
      assert.deepStrictEqual([report.reconciled, report.open], [true, []])
      assert.deepStrictEqual(yield* owed, [5n])
    })
  )

  rule(
    "waits for a transaction of the former vault that is not confirmed",
    [],
    {
      chain: renewed,
      transactionCount: (account, which) => Effect.succeed(account === FORMER && which === "pending" ? 1n : 0n)
    },
    Effect.gen(function* () {
      const report = yield* reconcileNow()
      assert.isFalse(report.reconciled)
      assert.include(report.open[0]?.text, `the vault ${FORMER} has a transaction`)
    })
  )

  rule(
    "keeps a fee in the former vault for the operator, as one that is owed",
    [settled(FORMER)],
    { chain: renewed },
    Effect.gen(function* () {
      const report = yield* reconcileNow()
      assert.isTrue(report.reconciled)
      assert.deepStrictEqual(
        report.unassigned.map(({ amount, paid, recipient }) => ({ amount, paid, recipient })),
        [{ amount: 2_500n, paid: false, recipient: FORMER }]
      )
      assert.deepStrictEqual(report.treasury, [{ chainId: source.id, token: TOKEN, collected: 5_000n, sold: 0n }])
      assert.include(shown(report), "not in the treasury's books")
      yield* Decisions.assign("alpha", [report.unassigned[0]?.sweepId ?? ""])
      assert.sameMembers([...(yield* owed)], [5n, 2_500n])
    })
  )
})

describe("a restore whose chains file does not name the former vault", () => {
  rule(
    "refuses payouts while a fee went to an account that is no vault and no builder's",
    [settled(STRANGER)],
    {},
    Effect.gen(function* () {
      const sees = Effect.fnUntraced(function* (dryRun: boolean) {
        const report = yield* reconcileNow(dryRun)
        assert.isFalse(report.reconciled)
        assert.deepStrictEqual(report.unassigned, [], "nothing is kept as paid")
        const [only, ...others] = report.open
        assert.deepStrictEqual([only?.stopsPayouts, others], [true, []])
        assert.include(only?.text, STRANGER)
        assert.include(only?.text, "formerVaults")
      })
      yield* sees(true)
      yield* sees(false)
      yield* sees(false)
      // The builder signs up again.
      yield* (yield* Builders).create({
        id: "again",
        name: "again",
        builderBps: 0,
        maxBuilderBps: 0,
        payoutAddress: STRANGER,
        payoutMode: "onchain",
        createdAtMs: 0
      })
      const last = yield* reconcileNow()
      assert.deepStrictEqual([last.reconciled, last.open], [true, []])
      const [total] = yield* (yield* Ledger).totals("again")
      assert.deepInclude(total, { earned: 2_500n, paid: 2_500n })
    })
  )

  rule(
    "refuses payouts while quotes of the books name another vault",
    [],
    {},
    Effect.gen(function* () {
      yield* (yield* Intents).create(intent({ builder: source.builderVault, owner: 2 }))
      assert.isTrue((yield* reconcileNow(true)).open.length === 0)
      yield* (yield* Intents).create(intent({ builder: FORMER }))
      const report = yield* reconcileNow()
      assert.isFalse(report.reconciled)
      assert.include(report.open[0]?.text, FORMER)
      assert.include(report.open[0]?.text, "formerVaults")
    })
  )

  rule(
    "accepts those quotes once it is named",
    [],
    { chain: renewed },
    Effect.gen(function* () {
      yield* (yield* Intents).create(intent({ builder: FORMER }))
      const report = yield* reconcileNow()
      assert.deepStrictEqual([report.reconciled, report.open], [true, []])
    })
  )

  const former = { others: [{ ...destination, formerVaults: [FORMER] }] }

  rule(
    "refuses payouts while quotes name another chain's vault as that of a chain",
    [],
    former,
    Effect.gen(function* () {
      yield* (yield* Intents).create(intent({ builder: FORMER }))
      const report = yield* reconcileNow()
      const [only, ...more] = report.open
      assert.deepStrictEqual([report.reconciled, only?.stopsPayouts, more], [false, true, []])
      assert.include(only?.text, `recent orders name the vault ${FORMER} on source`)
    })
  )

  rule(
    "accepts quotes of a chain whose own vault the other chains do not have",
    [],
    { chain: renewed, others: [destination] },
    Effect.gen(function* () {
      yield* (yield* Intents).create(intent({ builder: FORMER }))
      const report = yield* reconcileNow()
      assert.deepStrictEqual([report.reconciled, report.open], [true, []])
    })
  )

  rule(
    "refuses payouts while a settled order names another chain's vault as that of a chain",
    [settled(FORMER)],
    former,
    Effect.gen(function* () {
      yield* (yield* Intents).create(intent({ builder: FORMER }))
      const report = yield* reconcileNow()
      assert.isFalse(report.reconciled)
      const texts = report.open.flatMap(({ stopsPayouts, text }) => (stopsPayouts ? [text] : []))
      assert.isTrue(
        texts.some((text) => text.startsWith(`settled orders name the vault ${FORMER} on source`)),
        texts.join("\n")
      )
    })
  )

  rule(
    "lists the fees of an order whose submission the database forgot as missing from the treasury's books",
    [settled(source.builderVault)],
    {},
    Effect.gen(function* () {
      yield* (yield* Intents).create(intent({ builder: source.builderVault }))
      const report = yield* reconcileNow()
      assert.isTrue(report.reconciled)
      assert.deepStrictEqual(report.treasury, [{ chainId: source.id, token: TOKEN, collected: 5_000n, sold: 0n }])
    })
  )
})
