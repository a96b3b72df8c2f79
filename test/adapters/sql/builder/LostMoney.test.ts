/** Payments that a restore made the books forget. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as LostMoney from "../../../../src/adapters/sql/builder/LostMoney.ts"
import { Ledger } from "../../../../src/ports/builder/Ledger.ts"
import { Payouts } from "../../../../src/ports/builder/Payouts.ts"
import { register } from "../../../support/BuilderFixtures.ts"
import { freshStores } from "../../../support/BuilderStores.ts"
import { address, hash } from "../../../support/IntentFixtures.ts"

const TOKEN = address(0xa)

describe("a batch that is opened again", () => {
  it.effect("pays what its accruals were worth when they were earned", () =>
    Effect.gen(function* () {
      yield* register
      const sql = yield* PgClient.PgClient
      const ledger = yield* Ledger
      const payouts = yield* Payouts
      const accrual = { builderId: "alpha", token: TOKEN, amount: 5n, chainId: 1 }
      yield* ledger.accrue({ ...accrual, sweepId: "a", usd: "1.5" })
      yield* ledger.accrue({ ...accrual, sweepId: "b" })
      const entries = (yield* LostMoney.owed(sql, 1)).map(({ id }) => id)
      const line = { builderId: "alpha", payoutAddress: address(0x80), amount: 10n, entries }
      yield* LostMoney.reopenBatch(sql, { id: "lost", chainId: 1, token: TOKEN, lines: [line] })
      yield* payouts.markPaid("lost", hash("payment"))
      const { tokens } = yield* ledger.earnings("alpha", { fromMs: 0, toMs: 1 })
      assert.lengthOf(tokens, 1)
      assert.deepInclude(tokens[0], { paid: 10n, paidUsd: 15n * 10n ** 17n, paidUnpriced: 5n })
    }).pipe(Effect.provide(freshStores))
  )
})

describe("tokens whose payments are compared", () => {
  it.effect("include that of a fee that waits, since it may have been assigned and paid in the lost time", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      assert.deepStrictEqual(yield* LostMoney.tokens(sql, 1), [])
      yield* LostMoney.keepUnassigned(sql, {
        sweepId: "lost",
        chainId: 1,
        token: TOKEN,
        amount: 7n,
        recipient: address(0xf),
        paid: false,
        txHash: hash("lost"),
        settledAtMs: 0
      })
      assert.deepStrictEqual([yield* LostMoney.tokens(sql, 1), yield* LostMoney.tokens(sql, 2)], [[TOKEN], []])
    }).pipe(Effect.provide(freshStores))
  )

  it.effect("include on every chain that of an accrual without a chain, until it is assigned to one", () =>
    Effect.gen(function* () {
      yield* register
      const sql = yield* PgClient.PgClient
      const ledger = yield* Ledger
      const tokens = Effect.forEach([1, 2], (chainId) => LostMoney.tokens(sql, chainId))
      yield* ledger.accrue({ builderId: "alpha", sweepId: "early", token: TOKEN, amount: 5n })
      assert.deepStrictEqual(yield* tokens, [[TOKEN], [TOKEN]])
      yield* ledger.assign(TOKEN, 2)
      assert.deepStrictEqual(yield* tokens, [[], [TOKEN]])
    }).pipe(Effect.provide(freshStores))
  )

  it.effect("are those that only accruals without a chain have, on chains where nothing else was earned in them", () =>
    Effect.gen(function* () {
      yield* register
      const sql = yield* PgClient.PgClient
      const ledger = yield* Ledger
      const assignable = Effect.forEach([1, 2], (chainId) => LostMoney.assignableTokens(sql, chainId))
      yield* ledger.accrue({ builderId: "alpha", sweepId: "known", token: TOKEN, amount: 5n, chainId: 2 })
      assert.deepStrictEqual(yield* assignable, [[], []])
      for (const sweepId of ["early", "earlier"]) {
        yield* ledger.accrue({ builderId: "alpha", sweepId, token: TOKEN, amount: 5n })
      }
      assert.deepStrictEqual(yield* assignable, [[TOKEN], []])
      yield* ledger.assign(TOKEN, 2)
      assert.deepStrictEqual(yield* assignable, [[], []])
    }).pipe(Effect.provide(freshStores))
  )
})
