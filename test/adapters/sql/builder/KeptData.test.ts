/** Kept sums of the builder backend agree with their rows, and old rows are deleted. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { NONE } from "../../../../src/domain/Earnings.ts"
import type { EarningStatus } from "../../../../src/domain/LedgerEntry.ts"
import { KeptData } from "../../../../src/ports/builder/KeptData.ts"
import { Ledger } from "../../../../src/ports/builder/Ledger.ts"
import { Nonces } from "../../../../src/ports/builder/Nonces.ts"
import { Payouts } from "../../../../src/ports/builder/Payouts.ts"
import { RevenueBook } from "../../../../src/ports/builder/RevenueBook.ts"
import { Sweeps } from "../../../../src/ports/builder/Sweeps.ts"
import { Alerts } from "../../../../src/ports/shared/Alerts.ts"
import { event, register } from "../../../support/BuilderFixtures.ts"
import { freshStores } from "../../../support/BuilderStores.ts"
import { address, hash } from "../../../support/IntentFixtures.ts"

const TOKEN = address(0xa)

const accrual = (sweepId: string, chainId?: number) => ({
  builderId: "alpha",
  sweepId,
  token: TOKEN,
  amount: 5n,
  ...(chainId === undefined ? {} : { chainId })
})

const agrees = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  assert.deepStrictEqual(yield* sql`SELECT * FROM builder.sum_differences`, [])
  assert.deepStrictEqual(yield* sql`SELECT * FROM builder.listed_differences`, [])
  assert.deepStrictEqual(yield* sql`SELECT * FROM builder.earning_day_differences`, [])
})

const sumUp = Effect.flatMap(KeptData, (kept) => kept.sumUp)

describe("kept sums", () => {
  it.effect("follow entries, reversals and assignments to a chain, before and after they are taken up", () =>
    Effect.gen(function* () {
      yield* register
      const ledger = yield* Ledger
      for (const id of ["a", "b", "c", "d"]) yield* ledger.accrue(accrual(id))
      yield* ledger.accrue(accrual("e", 1))
      yield* ledger.accrue(accrual("f"), 2)
      yield* agrees
      yield* sumUp
      yield* ledger.reverse("a")
      yield* ledger.assign(TOKEN, 3)
      yield* ledger.reverse("b")
      yield* agrees
      const totals = [
        { token: TOKEN, chainId: 1, earned: 5n, paid: 0n, claimed: 0n },
        { token: TOKEN, chainId: 2, earned: 5n, paid: 0n, claimed: 0n },
        { token: TOKEN, chainId: 3, earned: 10n, paid: 0n, claimed: 0n }
      ]
      for (let turn = 0; turn < 2; turn++) {
        assert.deepStrictEqual(yield* ledger.totals("alpha"), totals)
        assert.deepStrictEqual(yield* ledger.allTotals, totals)
        yield* sumUp
      }
      yield* agrees
    }).pipe(Effect.provide(freshStores))
  )

  it.effect("place a reversal on the chain that its accrual is assigned to at the same time", () =>
    Effect.gen(function* () {
      yield* register
      const ledger = yield* Ledger
      const ids = Array.from({ length: 30 }, (_, n) => `s${n}`)
      yield* Effect.forEach(ids, (id) => ledger.accrue(accrual(id)))
      yield* Effect.all(
        [...ids.map((id) => ledger.reverse(id)), ledger.assign(TOKEN, 3), Effect.forEach([1, 2, 3], () => sumUp)],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(yield* ledger.totals("alpha"), [
        { token: TOKEN, chainId: 3, earned: 0n, paid: 0n, claimed: 0n }
      ])
      yield* agrees
    }).pipe(Effect.provide(freshStores))
  )

  it.effect("follow revenue and sweeps, whose events arrive in any order", () =>
    Effect.gen(function* () {
      yield* register
      const sql = yield* PgClient.PgClient
      const book = yield* RevenueBook
      const sweeps = yield* Sweeps
      const line = { chainId: 1, token: TOKEN, amount: 7n, txHash: hash("tx") }
      yield* book.bookAll(["a", "b"].map((sweepId, day) => ({ ...line, sweepId, settledAtMs: day * 86_400_000 })))
      yield* book.book({ ...line, sweepId: "a", settledAtMs: 0 })
      yield* sweeps.record(event("delivered", { id: "x", atMs: 3 * 86_400_000 }))
      yield* sumUp
      yield* sweeps.record(event("submitted", { id: "x", atMs: 86_400_000 }))
      yield* sweeps.record(event("submitted", { id: "y", atMs: 5 }))
      yield* sweeps.record(event("failed", { id: "y", atMs: 6 }))
      yield* agrees
      yield* sumUp
      yield* agrees
      assert.deepStrictEqual(yield* sql`SELECT FROM builder.sweep_day_changes`, [])
      yield* sql`UPDATE builder.revenue_days SET amount = amount + 1`
      assert.lengthOf(yield* sql`SELECT * FROM builder.sum_differences`, 2)
    }).pipe(Effect.provide(freshStores))
  )
})

describe("listed accruals", () => {
  it.effect("follow payouts, reversals and assignments, and a difference is found", () =>
    Effect.gen(function* () {
      yield* register
      const sql = yield* PgClient.PgClient
      const ledger = yield* Ledger
      const payouts = yield* Payouts
      for (const id of ["a", "b", "c", "d"]) yield* ledger.accrue({ ...accrual(id), usd: "1.5" })
      yield* ledger.accrue({ ...accrual("e", 1), paidTxHash: hash("e") })
      yield* sumUp
      yield* ledger.assign(TOKEN, 1)
      yield* ledger.reverse("a")
      const batch = { chainId: 1, token: TOKEN, minAmount: 0n }
      yield* payouts.open({ ...batch, id: "failing" })
      yield* payouts.fail("failing", "no gas")
      yield* agrees
      yield* payouts.open({ ...batch, id: "paying" })
      yield* payouts.markPaid("paying", hash("payment"))
      yield* ledger.reverse("b")
      yield* ledger.accrue(accrual("f"), 2)
      yield* agrees
      const listed = yield* sql`SELECT status, chain_id, count(*)::int AS rows FROM builder.earnings
        GROUP BY 1, 2 ORDER BY 1, 2`
      assert.deepStrictEqual(listed, [
        { status: "owed", chain_id: 2n, rows: 1 },
        { status: "paid", chain_id: 1n, rows: 3 },
        { status: "reversed", chain_id: 1n, rows: 2 }
      ])
      yield* sql`UPDATE builder.earnings SET status = 'owed' WHERE chain_id = 1 AND status = 'reversed'`
      assert.lengthOf(yield* sql`SELECT * FROM builder.listed_differences`, 2)
      yield* sumUp
      assert.deepStrictEqual(yield* sql`SELECT FROM builder.earning_day_changes`, [])
      assert.deepStrictEqual(yield* sql`SELECT * FROM builder.earning_day_differences`, [])
      for (const sum of ["earned", "earned_usd", "earned_unpriced", "paid", "paid_usd", "paid_unpriced", "sweeps"]) {
        const column = sql.literal(sum)
        yield* sql`UPDATE builder.earning_days SET ${column} = ${column} + 1 WHERE chain_id = 1`
        const found = yield* sql<{ key: string; kept: string; counted: string }>`
          SELECT * FROM builder.earning_day_differences`
        assert.lengthOf(found, 1, sum)
        assert.isTrue(found[0]?.key.endsWith(` ${sum}`), sum)
        assert.strictEqual(BigInt(found[0]?.kept ?? 0) - BigInt(found[0]?.counted ?? 0), 1n, sum)
        yield* sql`UPDATE builder.earning_days SET ${column} = ${column} - 1 WHERE chain_id = 1`
      }
    }).pipe(Effect.provide(freshStores))
  )
})

describe("a reversal of the release before", () => {
  it.effect("takes back the value of its accrual, which that release does not know", () =>
    Effect.gen(function* () {
      yield* register
      const sql = yield* PgClient.PgClient
      const ledger = yield* Ledger
      yield* ledger.accrue({ ...accrual("a", 1), usd: "1.5" })
      yield* ledger.accrue(accrual("b", 1))
      for (const sweepId of ["a", "b"]) {
        yield* sql`INSERT INTO builder.ledger_entries
            (kind, builder_id, chain_id, token, earned, paid, sweep_id, tx_hash, created_at)
          SELECT 'reversal', builder_id, chain_id, token, -earned, -paid, sweep_id, tx_hash, now()
          FROM builder.ledger_entries WHERE kind = 'accrual' AND sweep_id = ${sweepId}`
      }
      const { tokens } = yield* ledger.earnings("alpha", { fromMs: 0, toMs: Date.UTC(2999, 0) })
      assert.deepStrictEqual(tokens, [{ ...NONE, chainId: 1, token: TOKEN }])
      yield* agrees
    }).pipe(Effect.provide(freshStores))
  )
})

describe("accruals of a large batch", () => {
  it.effect("are listed as paid soon after it, and reversed ones never", () =>
    Effect.gen(function* () {
      yield* register
      const sql = yield* PgClient.PgClient
      const ledger = yield* Ledger
      const payouts = yield* Payouts
      const COUNT = 1_001
      yield* sql`INSERT INTO builder.ledger_entries
          (kind, builder_id, chain_id, token, earned, paid, sweep_id, tx_hash, created_at, usd)
        SELECT 'accrual', 'alpha', 1, ${TOKEN}, 5, 0, 's' || n, NULL, now(), CASE WHEN n > 1 THEN 10 END
        FROM generate_series(1, ${COUNT}::integer) AS n`
      yield* payouts.open({ id: "large", chainId: 1, token: TOKEN, minAmount: 0n })
      yield* payouts.markPaid("large", hash("payment"))
      yield* ledger.reverse("s1")
      const of = (status: EarningStatus) =>
        Effect.map(ledger.activity("alpha", { status, limit: 2_000 }), ({ length }) => length)
      assert.strictEqual(yield* of("owed"), COUNT - 1)
      yield* agrees
      yield* sumUp
      assert.deepStrictEqual([yield* of("owed"), yield* of("paid"), yield* of("reversed")], [0, COUNT - 1, 1])
      yield* sumUp
      assert.deepStrictEqual(yield* sql`SELECT FROM builder.unlisted_payouts`, [])
      yield* agrees
      const { tokens } = yield* ledger.earnings("alpha", { fromMs: 0, toMs: Date.UTC(2999, 0) })
      assert.deepInclude(tokens[0], { paid: BigInt(5 * COUNT), paidUsd: BigInt(10 * (COUNT - 1)), paidUnpriced: 5n })
    }).pipe(Effect.provide(freshStores))
  )
})

describe("old rows", () => {
  it.effect("are events, cleared alerts and expired nonces. A sweep outlives its events", () =>
    Effect.gen(function* () {
      yield* register
      const sql = yield* PgClient.PgClient
      const alerts = yield* Alerts
      const nonces = yield* Nonces
      const sweeps = yield* Sweeps
      const { prune } = yield* KeptData
      yield* sweeps.record(event("submitted", { id: "x" }))
      yield* alerts.raise({ key: "k", severity: "warning", kind: "lane_low", message: "m", details: {} })
      yield* alerts.clear("k")
      yield* nonces.issue("short", 1_000)
      yield* nonces.issue("long", 9_000)
      yield* TestClock.adjust("2 seconds")
      yield* sweeps.record(event("delivered", { id: "x" }))
      const refused = yield* Effect.flip(sql`DELETE FROM builder.sweep_events`)
      assert.include(String(refused.reason.cause), "append-only")
      assert.strictEqual(yield* prune("events", 2_000, 10), 1)
      assert.deepStrictEqual(
        (yield* sweeps.timeline("alpha", "x")).map(({ status }) => status),
        ["delivered"]
      )
      assert.strictEqual(yield* prune("events", 3_000, 10), 1)
      assert.isTrue((yield* sweeps.find("alpha", "x"))._tag === "Some")
      assert.strictEqual(yield* prune("alerts", 1, 10), 1)
      assert.strictEqual(yield* prune("nonces", 2_000, 10), 1)
      assert.isTrue(yield* nonces.isFresh("long"))
      assert.strictEqual(yield* prune("sessions", 2_000, 10), 0)
    }).pipe(Effect.provide(freshStores))
  )
})
