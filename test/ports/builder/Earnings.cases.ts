/** Cases of the contract of ledgers: the list of accruals with its filters, and sums in dollars. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { type Activity, EarningStatus, statusOf } from "../../../src/domain/LedgerEntry.ts"
import type { Builders } from "../../../src/ports/builder/Builders.ts"
import { type EarningFilter, Ledger } from "../../../src/ports/builder/Ledger.ts"
import { Payouts } from "../../../src/ports/builder/Payouts.ts"
import { register } from "../../support/BuilderFixtures.ts"
import { address, hash } from "../../support/IntentFixtures.ts"
import { TOKENS } from "./LedgerModel.ts"

/** Each filter lists what it selects of the whole list, also page by page. */
export const filteredAlike = Effect.fnUntraced(function* (
  ledger: Ledger["Service"],
  builderId: string,
  all: ReadonlyArray<Activity>
) {
  const filters: ReadonlyArray<EarningFilter> = [
    ...EarningStatus.literals.map((status) => ({ status })),
    ...TOKENS.flatMap((token) => [{ token }, { token, chainId: 1 }, { token, chainId: 2, status: "owed" as const }]),
    { chainId: 1 },
    { chainId: 2, status: "paid" },
    { settlement: "sweep_1" },
    { settlement: "sweep_1", status: "owed", chainId: 1 }
  ]
  for (const filter of filters) {
    const { chainId, settlement, status, token } = filter
    const expected = all.filter(
      (earning) =>
        (status === undefined || statusOf(earning) === status) &&
        (chainId === undefined || earning.chainId === chainId) &&
        (token === undefined || earning.token === token) &&
        (settlement === undefined || earning.sweepId === settlement)
    )
    const first = yield* ledger.activity(builderId, { ...filter, limit: 2 })
    const last = first.at(-1)
    const rest =
      last === undefined ? [] : yield* ledger.activity(builderId, { ...filter, before: last.id, limit: 10_000 })
    const found = [...first, ...rest].map(({ activity }) => activity)
    assert.deepStrictEqual(found, expected, JSON.stringify(filter))
  }
})

export const earningCases = <E>(stores: () => Layer.Layer<Builders | Ledger | Payouts, E>) => {
  it.effect("sums up earnings and payments by day and token, at the prices of the settlements", () =>
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const payouts = yield* Payouts
      yield* register
      const [one, two] = [TOKENS[0], TOKENS[1]]
      const accrual = { builderId: "alpha", token: one, amount: 10n, chainId: 1 }
      const DAY = 86_400_000
      yield* ledger.accrue({ ...accrual, sweepId: "first", usd: "2" })
      yield* ledger.accrue({ ...accrual, sweepId: "unpriced" })
      yield* ledger.accrue({ ...accrual, sweepId: "onchain", paidTxHash: hash("onchain"), usd: "3" })
      yield* TestClock.adjust("1 day")
      yield* ledger.accrue({ ...accrual, sweepId: "second", usd: "5" })
      yield* ledger.accrue({ builderId: "alpha", token: two, amount: 7n, sweepId: "chainless", usd: "1" })
      yield* ledger.accrue({ ...accrual, builderId: "beta", sweepId: "beta's", usd: "9" })
      yield* ledger.reverse("second")
      yield* payouts.open({ id: "batch", chainId: 1, token: one, minAmount: 0n })
      yield* payouts.markPaid("batch", hash("payment"))
      const scaled = (dollars: bigint) => dollars * 10n ** 18n
      const none = {
        sweeps: 0,
        earned: 0n,
        earnedUsd: 0n,
        earnedUnpriced: 0n,
        paid: 0n,
        paidUsd: 0n,
        paidUnpriced: 0n
      }
      const chainless = { ...none, token: two, sweeps: 1, earned: 7n, earnedUsd: scaled(1n) }
      const ofOne = { ...none, chainId: 1, token: one }
      const today = yield* ledger.earnings("alpha", { fromMs: DAY, toMs: DAY + 5 })
      const paid = { paid: 20n, paidUsd: scaled(2n), paidUnpriced: 10n }
      assert.deepStrictEqual(today, {
        tokens: [chainless, { ...ofOne, ...paid }],
        days: [{ day: "1970-01-02", earnedUsd: scaled(1n) }]
      })
      yield* ledger.assign(two, 1)
      const both = yield* ledger.earnings("alpha", { fromMs: 0, toMs: DAY })
      assert.deepStrictEqual(both.days, [
        { day: "1970-01-01", earnedUsd: scaled(5n) },
        { day: "1970-01-02", earnedUsd: scaled(1n) }
      ])
      const earned = { sweeps: 3, earned: 30n, earnedUsd: scaled(5n), earnedUnpriced: 10n }
      assert.deepStrictEqual(
        both.tokens.filter(({ earned }) => earned > 0n),
        [
          { ...ofOne, ...earned, paid: 30n, paidUsd: scaled(5n), paidUnpriced: 10n },
          { ...chainless, chainId: 1 }
        ].toSorted((a, b) => (a.token < b.token ? -1 : 1))
      )
      assert.deepStrictEqual(yield* ledger.earnings("beta", { fromMs: 0, toMs: 0 }), { tokens: [], days: [] })
      // The first value in dollars is kept.
      yield* ledger.accrue({ ...accrual, sweepId: "first", usd: "8" })
      assert.deepStrictEqual(yield* ledger.earnings("alpha", { fromMs: 0, toMs: DAY }), both)
      const [last] = yield* ledger.activity("alpha", { limit: 1, settlement: "first" })
      assert.strictEqual(last?.activity.usd, "2")
    }).pipe(Effect.provide(Layer.fresh(stores())))
  )

  it.effect("lists accruals of a period, of a transaction and of no other builder", () =>
    Effect.gen(function* () {
      const ledger = yield* Ledger
      yield* register
      const txHash = hash("settled")
      const accrual = { builderId: "alpha", token: address(1), amount: 7n, chainId: 1 }
      for (const sweepId of [`${txHash}_0`, `${hash("other")}_0`, `${txHash}_11`]) {
        yield* ledger.accrue({ ...accrual, sweepId })
        yield* TestClock.adjust("1 second")
      }
      yield* ledger.accrue({ ...accrual, builderId: "beta", sweepId: `${txHash}_2` })
      const ids = (filter: EarningFilter & { readonly before?: string }) =>
        Effect.map(ledger.activity("alpha", { limit: 10, ...filter }), (rows) => rows.map(({ id }) => id))
      const [third = "", second = "", first = ""] = yield* ids({})
      assert.deepStrictEqual(yield* ids({ fromMs: 1_000 }), [third, second])
      assert.deepStrictEqual(yield* ids({ toMs: 1_000 }), [first])
      assert.deepStrictEqual(yield* ids({ fromMs: 1_000, toMs: 2_000, chainId: 1, status: "owed" }), [second])
      assert.deepStrictEqual(yield* ids({ settlement: txHash }), [third, first])
      assert.deepStrictEqual(yield* ids({ settlement: txHash, before: third }), [first])
      assert.deepStrictEqual(yield* ids({ settlement: `${txHash}_11` }), [third])
      assert.deepStrictEqual(yield* ids({ settlement: `${txHash}_1` }), [])
      assert.deepStrictEqual(yield* ids({ settlement: txHash, token: address(2) }), [])
    }).pipe(Effect.provide(Layer.fresh(stores())))
  )
}
