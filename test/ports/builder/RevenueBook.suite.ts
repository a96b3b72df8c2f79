/** Contract of every revenue book. Each test gets a store of its own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Revenue } from "../../../src/domain/Accrual.ts"
import { type DailyRevenue, RevenueBook, RevenueConflict } from "../../../src/ports/builder/RevenueBook.ts"
import { address, hash } from "../../support/IntentFixtures.ts"

const DAY = 24 * 3_600_000

const EVER = { fromMs: 0, toMs: 10 * DAY }

const revenue = (sweepId: string): Revenue => ({
  sweepId,
  chainId: 1,
  token: address(1),
  amount: 7n,
  txHash: hash("tx"),
  settledAtMs: 0
})

/** One {@link revenue} on the first day. */
const DAY_ONE: DailyRevenue = { day: "1970-01-01", chainId: 1, token: address(1), amount: 7n, sweeps: 1 }

export const suite = <E>(adapter: string, stores: () => Layer.Layer<RevenueBook, E>) =>
  describe(`the revenue book on ${adapter}`, () => {
    const test = (name: string, effect: Effect.Effect<void, unknown, RevenueBook>) =>
      it.effect(name, () => effect.pipe(Effect.provide(Layer.fresh(stores()))))

    test(
      "a settlement is booked once, whoever repeats it",
      Effect.gen(function* () {
        const book = yield* RevenueBook
        const booked = yield* Effect.forEach(Array.from({ length: 20 }), () => book.book(revenue("s_0")), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(booked.toSorted(), ["added", ...Array.from({ length: 19 }, () => "already_booked")])
        for (const other of [
          { amount: 8n },
          { chainId: 2 },
          { token: address(2) },
          { txHash: hash("other") },
          { settledAtMs: 1 }
        ]) {
          const conflict = yield* Effect.flip(book.book({ ...revenue("s_0"), ...other }))
          assert.deepStrictEqual(conflict, new RevenueConflict({ sweepId: "s_0" }))
        }
        assert.deepStrictEqual(yield* book.daily(EVER), [DAY_ONE])
      })
    )

    test(
      "many are booked at once, and those with other content are left out",
      Effect.gen(function* () {
        const book = yield* RevenueBook
        assert.deepStrictEqual(yield* book.bookAll([]), new Set())
        yield* book.book(revenue("s_0"))
        const many = [revenue("s_1"), { ...revenue("s_0"), amount: 8n }, revenue("s_2"), revenue("s_1")]
        assert.deepStrictEqual(yield* book.bookAll(many), new Set(["s_1", "s_2"]))
        assert.deepStrictEqual(yield* book.bookAll([revenue("s_0"), revenue("s_1")]), new Set(["s_0", "s_1"]))
        assert.deepStrictEqual(yield* book.daily(EVER), [{ ...DAY_ONE, amount: 21n, sweeps: 3 }])
      })
    )

    test(
      "sums are by UTC day, chain and token, newest day first, from the start of the period to before its end",
      Effect.gen(function* () {
        const book = yield* RevenueBook
        yield* book.bookAll([
          { ...revenue("s_0"), settledAtMs: DAY - 1 },
          { ...revenue("s_1"), settledAtMs: DAY },
          { ...revenue("s_2"), settledAtMs: DAY, chainId: 2 },
          { ...revenue("s_3"), settledAtMs: DAY, token: address(2), amount: 2n ** 256n - 1n },
          { ...revenue("s_4"), settledAtMs: 2 * DAY - 1, token: address(2), amount: 2n ** 256n - 1n }
        ])
        const second = { ...DAY_ONE, day: "1970-01-02" }
        const all = [
          second,
          { ...second, token: address(2), amount: 2n ** 257n - 2n, sweeps: 2 },
          { ...second, chainId: 2 },
          DAY_ONE
        ]
        assert.deepStrictEqual(yield* book.daily(EVER), all)
        assert.deepStrictEqual(yield* book.daily({ fromMs: 0, toMs: DAY }), [DAY_ONE])
        assert.deepStrictEqual(yield* book.daily({ fromMs: DAY, toMs: 2 * DAY }), all.slice(0, 3))
        assert.deepStrictEqual(yield* book.daily({ fromMs: 2 * DAY, toMs: 3 * DAY }), [])
        // Periods that begin or end within a day.
        assert.deepStrictEqual(yield* book.daily({ fromMs: 0, toMs: DAY - 1 }), [])
        assert.deepStrictEqual(yield* book.daily({ fromMs: DAY - 1, toMs: DAY }), [DAY_ONE])
        assert.deepStrictEqual(yield* book.daily({ fromMs: DAY - 1, toMs: DAY + 1 }), [
          second,
          { ...second, token: address(2), amount: 2n ** 256n - 1n },
          { ...second, chainId: 2 },
          DAY_ONE
        ])
        assert.deepStrictEqual(yield* book.daily({ fromMs: DAY + 1, toMs: 2 * DAY - 1 }), [])
        assert.deepStrictEqual(yield* book.daily({ fromMs: 2 * DAY, toMs: DAY }), [])
        assert.deepStrictEqual(yield* book.daily({ fromMs: DAY + 2, toMs: DAY + 1 }), [])
      })
    )
  })
