/** Kept sums of the builder backend agree with their rows, and old rows are deleted. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { KeptData } from "../../../../src/ports/builder/KeptData.ts"
import { Ledger } from "../../../../src/ports/builder/Ledger.ts"
import { Nonces } from "../../../../src/ports/builder/Nonces.ts"
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

const agrees = Effect.flatMap(PgClient.PgClient, (sql) =>
  Effect.map(sql`SELECT * FROM builder.sum_differences`, (rows) => assert.deepStrictEqual(rows, []))
)

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
      yield* alerts.raise({ key: "k", severity: "warning", kind: "k", message: "m", details: {} })
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
