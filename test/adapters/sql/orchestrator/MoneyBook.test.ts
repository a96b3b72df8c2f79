import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import money from "../../../../migrations/orchestrator/0063_money.ts"
import * as KeptData from "../../../../src/adapters/sql/orchestrator/KeptData.ts"
import * as MoneyBookSql from "../../../../src/adapters/sql/orchestrator/MoneyBook.ts"
import * as TreasurySalesSql from "../../../../src/adapters/sql/orchestrator/TreasurySales.ts"
import * as Money from "../../../../src/domain/Money.ts"
import { Intents } from "../../../../src/ports/orchestrator/Intents.ts"
import { KeptData as KeptDataPort } from "../../../../src/ports/orchestrator/KeptData.ts"
import { MoneyBook } from "../../../../src/ports/orchestrator/MoneyBook.ts"
import { RelayTransactions } from "../../../../src/ports/orchestrator/RelayTransactions.ts"
import { TreasurySales } from "../../../../src/ports/orchestrator/TreasurySales.ts"
import { suite } from "../../../ports/orchestrator/MoneyBook.suite.ts"
import { address, attempt, details, hash, newIntent, submission, submitted } from "../../../support/IntentFixtures.ts"
import { freshStores } from "../../../support/OrchestratorStores.ts"

const layer = Layer.mergeAll(MoneyBookSql.layer, KeptData.layer, TreasurySalesSql.layer).pipe(
  Layer.provideMerge(freshStores)
)

suite("Postgres", layer)

const differences = Effect.flatMap(
  PgClient.PgClient,
  (sql) => sql<{ key: string; kept: string; counted: string }>`SELECT * FROM orchestrator.money_differences`
)

const total = Effect.gen(function* () {
  return (yield* (yield* MoneyBook).since(0)).chains.reduce(Money.added, Money.NONE)
})

const settled = { _tag: "SettledAtSource", txHash: hash("tx") } as const

const FEE = { usd: 2n * 10n ** 18n, decimals: 6 }

/** A transaction of one sweep that ended, and cost 1,000 wei at 2 dollars for each. */
const ended = Effect.fnUntraced(function* (id: string, owner: number) {
  const transactions = yield* RelayTransactions
  yield* submitted({ id, owner })
  const transaction = yield* transactions.allocate({
    chainId: 1,
    lane: address(0x1a4e),
    chainNonce: 0n,
    intentIds: [id],
    sign: (nonce) => Effect.succeed(attempt(`${nonce}`))
  })
  yield* (yield* Intents).applyAll([{ id, events: [settled], feePrice: FEE }])
  yield* transactions.finalize([
    {
      id: transaction.id,
      cost: 1_000n,
      nativeUsd: 2n * 10n ** 36n,
      inclusion: { hash: hash(id), blockNumber: 1n, blockHash: hash("block") },
      parts: [{ intentId: id, cost: 1_000n, isSettled: true }]
    }
  ])
})

describe("earnings and costs in Postgres", () => {
  it.effect("leave out the fees of the treasury's own sales", () =>
    Effect.gen(function* () {
      const sales = yield* TreasurySales
      yield* submitted({ id: "own" })
      const sale = { chainId: 1, seller: address(1), token: address(2), asset: address(3), amount: 10n, rest: 0n }
      const opened = yield* Effect.fromOption(yield* sales.openRound({ sales: [sale], refused: [] }))
      for (const each of opened) yield* sales.offer(each, { intentId: "own", feeAmount: 3n })
      yield* (yield* Intents).applyAll([{ id: "own", events: [settled], feePrice: FEE }])
      assert.deepStrictEqual(yield* total, Money.NONE)
      assert.deepStrictEqual(yield* differences, [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("that differ from their rows are found", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* ended("a", 1)
      assert.deepStrictEqual(yield* differences, [])
      yield* (yield* KeptDataPort).sumUp
      assert.deepStrictEqual(yield* differences, [])
      yield* sql`UPDATE orchestrator.money_chain_days SET gas = gas + 1`
      assert.deepStrictEqual(
        (yield* differences).map(({ key }) => key),
        ["costs 1", "builders"]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("follow a cost that is corrected by hand", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* ended("a", 1)
      yield* sql`UPDATE orchestrator.relay_transactions SET cost = 500`
      assert.deepInclude(yield* total, { gas: 500n * 2n * 10n ** 18n, failures: 0n })
      assert.deepStrictEqual(yield* differences, [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("are rebuilt for sweeps and transactions from before the migration", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const intents = yield* Intents
      const known = newIntent({ id: "quoted", owner: 2 })
      yield* intents.create({ ...known, quote: { ...known.quote, ...details, appliedTier: "tier2" } })
      yield* intents.submit("quoted", submission(1))
      yield* intents.applyAll([{ id: "quoted", events: [settled] }])
      yield* ended("a", 1)
      yield* sql`DROP VIEW orchestrator.money_differences, orchestrator.money_settled, orchestrator.money_chain_sums,
        orchestrator.money_builder_sums`
      yield* sql`DROP FUNCTION orchestrator.count_transaction_cost, orchestrator.count_sweep_cost CASCADE`
      yield* sql`DROP FUNCTION orchestrator.money_of_share, orchestrator.money_of_cost, orchestrator.fee_value`
      yield* sql`DROP TABLE orchestrator.money_parts, orchestrator.money_chain_days, orchestrator.money_builder_days`
      yield* sql`ALTER TABLE orchestrator.intent_states DROP COLUMN fee_rate CASCADE`
      yield* sql`ALTER TABLE orchestrator.relay_transactions DROP COLUMN wei_rate`
      yield* sql`ALTER TABLE orchestrator.relay_transaction_intents DROP COLUMN cost, DROP COLUMN paid`
      yield* money
      assert.deepStrictEqual(yield* total, {
        sweeps: 2,
        unpricedSweeps: 1,
        failed: 0,
        fees: (10n ** 18n * 35n) / 100n,
        gas: 0n,
        failures: 0n,
        unpricedWei: 1_000n
      })
      assert.deepStrictEqual(yield* differences, [])
    }).pipe(Effect.provide(layer))
  )
})
