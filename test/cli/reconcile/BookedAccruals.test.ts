/** An accrual that is booked otherwise than the chain shows stops payouts, since the builder would be paid the wrong amount. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Money from "../../../src/adapters/sql/builder/LostMoney.ts"
import * as Restores from "../../../src/adapters/sql/builder/Restores.ts"
import * as BookedAccruals from "../../../src/cli/reconcile/BookedAccruals.ts"
import type { Accrual } from "../../../src/domain/Accrual.ts"
import { type BookedLine, plan, type SettledSweep, withoutBooked } from "../../../src/domain/LostSweeps.ts"
import { Ledger } from "../../../src/ports/builder/Ledger.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { register } from "../../support/BuilderFixtures.ts"
import { address, hash } from "../../support/IntentFixtures.ts"
import { offer, source, sweptLog } from "../../support/RelayFixtures.ts"
import { minedAt, minute, reconcileNow, sceneOf, TOKEN } from "./scene.ts"

const settled = offer({
  id: "settled",
  attributed: { builderId: "alpha", payoutMode: "ledger" },
  order: { builder: source.builderVault, tokenIn: TOKEN, builderFee: 7n }
})

const logs = [minedAt("settled", minute(13), sweptLog(settled))]

const ID = `${hash("settled")}_0`

const RIGHT: Accrual = { builderId: "alpha", sweepId: ID, token: TOKEN, amount: 7n, chainId: source.id }

const owed = Effect.gen(function* () {
  const rows = yield* Money.owed(yield* PgClient.PgClient, source.id)
  return rows.map(({ amount }) => amount)
})

/** A database that was restored to noon and has this accrual. */
const rule = <A, E>(
  name: string,
  booked: Partial<Accrual>,
  test: Effect.Effect<A, E, Layer.Success<ReturnType<typeof sceneOf>>>
) =>
  it.effect(name, () =>
    Effect.gen(function* () {
      yield* register
      yield* (yield* Ledger).accrue({ ...RIGHT, ...booked })
      yield* TestClock.setTime(minute(14))
      yield* Restores.record(yield* PgClient.PgClient, minute(12))
      yield* test
    }).pipe(Effect.provide(Layer.fresh(sceneOf(minute(10), logs))))
  )

const stops = Effect.gen(function* () {
  for (const dryRun of [true, false]) {
    const report = yield* reconcileNow(dryRun)
    const open = report.open.filter(({ stopsPayouts }) => stopsPayouts)
    assert.deepStrictEqual([report.reconciled, open.length], [false, 1])
    assert.include(open[0]?.text, `the accrual of sweep ${ID} is booked with`)
  }
})

const passes = Effect.gen(function* () {
  const report = yield* reconcileNow()
  assert.deepStrictEqual([report.reconciled, report.open], [true, []])
})

describe("an accrual that the restored database has", () => {
  rule("stops payouts if the chain shows another amount", { amount: 8n }, stops)
  rule("stops payouts if the chain shows another token", { token: address(0xb) }, stops)

  rule(
    "stops payouts if another builder than that of the intent has it",
    { builderId: "beta" },
    Effect.gen(function* () {
      yield* (yield* Intents).create(settled)
      yield* stops
    })
  )

  rule(
    "may have any builder if the intent is lost, since the chain shows the vault alone",
    { builderId: "beta" },
    passes
  )
  rule("stops nothing if it is as the chain shows it", {}, passes)

  rule(
    "stops nothing once it was reversed, is not booked again, and neither is its correction",
    { amount: 8n },
    Effect.gen(function* () {
      const ledger = yield* Ledger
      yield* (yield* Intents).create(settled)
      yield* ledger.reverse(ID)
      yield* passes
      yield* ledger.accrue({ ...RIGHT, sweepId: `${ID}-corrected` })
      yield* passes
      assert.sameMembers([...(yield* owed)], [8n, -8n, 7n])
    })
  )

  const sweep: SettledSweep = {
    sweepId: ID,
    chainId: source.id,
    feeToken: TOKEN,
    feeAmount: 1n,
    builderFee: 7n,
    txHash: hash("settled"),
    settledAtMs: 0,
    orderHash: hash("order"),
    amountIn: 10n,
    recipient: source.builderVault
  }

  const lines = new Map([[ID, RIGHT]])

  it("is compared with the chain of its settlement, once it is assigned to one", () => {
    const differing = (chainId: number | undefined) => {
      const { chainId: _, ...line } = RIGHT
      const booked = new Map([[ID, { ...line, ...(chainId === undefined ? {} : { chainId }) }]])
      return BookedAccruals.differing([{ sweep, accrual: RIGHT }], booked, new Map()).length
    }
    assert.deepStrictEqual([differing(source.id), differing(undefined), differing(42_161)], [0, 0, 1])
  })

  it("may stand for another settlement of its transaction, which had its id before a reorganisation", () => {
    const other = { ...sweep, sweepId: `${hash("settled")}_1`, orderHash: hash("other") }
    const free = { ...sweep, builderFee: 0n }
    const count = (...bookings: Parameters<typeof BookedAccruals.differing>[0]) =>
      BookedAccruals.differing(bookings, lines, new Map()).length
    assert.strictEqual(count({ sweep: free }, { sweep: other }), 0)
    assert.strictEqual(count({ sweep: free }), 1, "the chain shows no fee at all")
    const lost = { ...sweep, builderFee: 9n }
    assert.strictEqual(count({ sweep: lost, accrual: { ...RIGHT, amount: 9n } }, { sweep: other }), 1)
  })

  /**
   * Two orders settled in one transaction, the one of the line before the other. A reorganisation left the other one alone in it, so that
   * its event has the id of the line. Counts the differences, with `moved` as the settlements of the order of the line.
   */
  const differences = (moved: ReadonlyArray<SettledSweep>, ...booked: ReadonlyArray<BookedLine>) => {
    const left = { ...sweep, builderFee: 9n, orderHash: hash("other") }
    const attributed = { builderId: "alpha", payoutMode: "ledger" } as const
    const intents = new Map([sweep, left].map(({ orderHash }) => [orderHash, attributed]))
    const bookings = plan({ vaults: [source.builderVault], payees: [], intents }, [left, ...moved])
    const former = new Map([sweep, left].map(({ orderHash }) => [orderHash, [sweep.txHash]]))
    const line = { book: "accrual", sweepId: ID, token: TOKEN, amount: 7n, builderId: "alpha" } as const
    return BookedAccruals.differing(withoutBooked(bookings, former, [line, ...booked]), lines, intents).length
  }

  const other = {
    book: "accrual",
    sweepId: `${hash("settled")}_1`,
    token: TOKEN,
    amount: 9n,
    builderId: "alpha"
  } as const

  it("is not compared with the event of another order if its own settled again in another transaction", () => {
    const again = { ...sweep, sweepId: `${hash("again")}_0`, txHash: hash("again") }
    assert.strictEqual(differences([again], other), 0)
    assert.strictEqual(differences([again]), 1, "the books lost the accrual of the settlement")
  })

  it("is not compared with the event of another order if its own has not settled again", () => {
    assert.strictEqual(differences([], other), 0)
    assert.strictEqual(differences([]), 1, "the books lost the accrual of the settlement")
  })
})
