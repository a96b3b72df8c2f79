/** Times that a process writes whose clock is a day ahead of the database, and that other processes wait for. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as TreasurySalesSql from "../../../../src/adapters/sql/orchestrator/TreasurySales.ts"
import type { OutboxMessage } from "../../../../src/domain/Accrual.ts"
import { type Budgets, classOf, type ExposureClass } from "../../../../src/domain/Exposure.ts"
import { claimOf } from "../../../../src/domain/ExposureClaims.ts"
import { newestOf } from "../../../../src/orchestrator/watch/Plan.ts"
import { Exposures } from "../../../../src/ports/orchestrator/Exposures.ts"
import { Intents } from "../../../../src/ports/orchestrator/Intents.ts"
import { Outbox } from "../../../../src/ports/orchestrator/Outbox.ts"
import { RelayTransactions } from "../../../../src/ports/orchestrator/RelayTransactions.ts"
import { TreasurySales } from "../../../../src/ports/orchestrator/TreasurySales.ts"
import { at, databaseTime } from "../../../support/DatabaseTime.ts"
import { address, attempt, hash, newIntent, submission } from "../../../support/IntentFixtures.ts"
import { freshStores } from "../../../support/OrchestratorStores.ts"

const DAY = 86_400_000

const layer = TreasurySalesSql.layer.pipe(Layer.provideMerge(freshStores))

const revenue: OutboxMessage = {
  _tag: "Revenue",
  revenue: { sweepId: "s", chainId: 1, token: address(0xa), amount: 3n, txHash: hash("t"), settledAtMs: 1 }
}

const ALL = classOf("unlisted", "all", 1)
const TOKEN = classOf("unlisted", "token_in", 1, "0xaa")

const budgets: Budgets = { unlisted: { hour: 800n, day: 4_000n }, listedHour: 800n }

describe("a process whose clock is a day ahead of the database", () => {
  it.effect("tells the ledger and the builder about a sweep within two minutes, and repeats a message as soon", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const intents = yield* Intents
      const outbox = yield* Outbox
      const now = yield* databaseTime
      const ahead = at(now + DAY)
      yield* at(now)(intents.create(newIntent({ id: "a", builderId: "bld_1" })))
      yield* ahead(intents.submit("a", submission()))
      yield* ahead(intents.apply("a", [{ _tag: "SettledAtSource", txHash: hash("t") }], { outbox: [revenue] }))
      const due = sql<{ topic: string; due: Date; made: Date }>`
        SELECT topic, due_at AS due, created_at AS made FROM orchestrator.outbox`
      const rows = yield* due
      assert.deepStrictEqual([...new Set(rows.map(({ topic }) => topic))].toSorted(), ["events", "ledger"])
      for (const row of rows) {
        assert.isBelow(row.due.getTime() - now, 120_000)
        assert.strictEqual(row.made.getTime(), now + DAY)
      }
      const [entry] = yield* at(now + 120_000)(outbox.claim({ topic: "ledger", limit: 10, leaseMillis: 30_000 }))
      yield* ahead(outbox.reject(entry?.id ?? "", "no"))
      assert.strictEqual(yield* ahead(outbox.reopen(entry?.id ?? "")), "reopened")
      for (const row of yield* due) assert.isBelow(row.due.getTime() - now, 120_000)
    }).pipe(Effect.provide(layer))
  )

  it.effect("plans sales of the treasury that are due within two minutes", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const sales = yield* TreasurySales
      const now = yield* databaseTime
      const ahead = at(now + DAY)
      const dueIn = Effect.map(
        sql<{ due: Date }>`SELECT max(due_at) AS due FROM orchestrator.treasury_sales`,
        ([row]) => (row?.due.getTime() ?? 0) - now
      )
      const sale = { chainId: 1, seller: address(1), token: address(2), asset: address(3), amount: 10n, rest: 5n }
      const opened = yield* Effect.fromOption(yield* ahead(sales.openRound({ sales: [sale], refused: [] })))
      assert.isBelow(yield* dueIn, 120_000)
      const [planned] = opened
      const offered = yield* Effect.fromOption(
        yield* ahead(sales.offer(planned ?? (yield* Effect.die("no sale")), { intentId: "a", feeAmount: 1n }))
      )
      const next = { amount: 5n, rest: 0n, dueAtMs: now + DAY + 3_000 }
      assert.isTrue(yield* ahead(sales.settle(offered, { amountOut: 1n, txHash: hash("t") }, next)))
      assert.isBelow(yield* dueIn, 120_000)
    }).pipe(Effect.provide(layer))
  )

  it.effect("makes reservations that are as old as those of others", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const exposures = yield* Exposures
      const now = yield* databaseTime
      const ahead = at(now + DAY)
      const reserve = (intentId: string, classes: ReadonlyArray<ExposureClass>, holder?: string) =>
        ahead(exposures.reserve([{ intentId, classes, wei: 1n }], budgets, holder))
      yield* reserve("at once", [ALL])
      yield* reserve("locked", [ALL, TOKEN])
      yield* reserve("submitted", [ALL, TOKEN], "one")
      yield* reserve("submitted", [ALL, TOKEN], "two")
      yield* reserve("claimed", [ALL, TOKEN], claimOf(now + DAY, "w"))
      const rows = yield* sql<{ at: Date }>`SELECT reserved_at AS at FROM orchestrator.exposures`
      assert.lengthOf(rows, 4)
      for (const row of rows) assert.isBelow(row.at.getTime() - now, 120_000)
    }).pipe(Effect.provide(layer))
  )

  it.effect("signs versions that it and others take for new", () =>
    Effect.gen(function* () {
      const transactions = yield* RelayTransactions
      const now = yield* databaseTime
      const ahead = at(now + DAY)
      const signed = (seed: string) => ({ ...attempt(seed), signedAtMs: now + DAY })
      const { id } = yield* ahead(
        transactions.allocate({
          chainId: 1,
          lane: address(0x1a4e),
          chainNonce: 0n,
          intentIds: [],
          sign: () => Effect.succeed(signed("first"))
        })
      )
      yield* ahead(transactions.addAttempt(id, signed("second"), "cancel"))
      yield* ahead(transactions.markBroadcast(hash("second")))
      const times = Effect.map(transactions.unfinished(1), ([found]) =>
        (found?.attempts ?? []).flatMap(({ broadcastAtMs, signedAtMs }) =>
          broadcastAtMs === undefined ? [signedAtMs] : [signedAtMs, broadcastAtMs]
        )
      )
      const read = { others: yield* at(now)(times), own: yield* ahead(times) }
      assert.deepStrictEqual([read.others.length, read.own.length], [3, 3])
      for (const each of read.others) assert.isBelow(Math.abs(each - now), 120_000)
      for (const each of read.own) assert.isBelow(Math.abs(each - now - DAY), 120_000)
      // The block of a transaction is lost after it was signed, and it is signed again after that.
      const inclusion = { hash: hash("second"), blockNumber: 9n, blockHash: hash("block") }
      yield* ahead(transactions.finalize([{ id, inclusion }]))
      yield* ahead(transactions.reopen([{ id, inclusion }]))
      yield* ahead(transactions.addAttempt(id, signed("third"), "cancel"))
      for (const clock of [at(now), ahead]) {
        const [found] = yield* clock(transactions.unfinished(1))
        assert.strictEqual(found === undefined ? undefined : newestOf(found)?.hash, hash("third"))
      }
    }).pipe(Effect.provide(layer))
  )
})
