import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import treasury from "../../../../migrations/orchestrator/0021_treasury.ts"
import * as TreasurySalesSql from "../../../../src/adapters/sql/orchestrator/TreasurySales.ts"
import { Intents } from "../../../../src/ports/orchestrator/Intents.ts"
import { TreasurySales } from "../../../../src/ports/orchestrator/TreasurySales.ts"
import { suite } from "../../../ports/orchestrator/TreasurySales.suite.ts"
import { address, hash, submitted } from "../../../support/IntentFixtures.ts"
import { freshStores } from "../../../support/OrchestratorStores.ts"

const layer = TreasurySalesSql.layer.pipe(Layer.provideMerge(freshStores))

suite("Postgres", layer)

const settle = Effect.fnUntraced(function* (id: string, owner: number) {
  yield* submitted({ id, owner })
  yield* (yield* Intents).apply(id, [{ _tag: "SettledAtSource", txHash: hash(id) }])
})

const differences = Effect.flatMap(
  PgClient.PgClient,
  (sql) => sql<{ key: string; kept: string; counted: string }>`SELECT * FROM orchestrator.treasury_fee_differences`
)

const KEY = `1 ${address(0xde1e)} ${address(0xa)}`

describe("collected fees in Postgres", () => {
  it.effect("are counted for sweeps that settled before the migration", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`DROP TRIGGER intent_states_collected ON orchestrator.intent_states`
      yield* settle("a", 1)
      yield* submitted({ id: "b", owner: 2 })
      yield* sql`DROP VIEW orchestrator.money_differences, orchestrator.money_settled`
      yield* sql`DROP VIEW orchestrator.treasury_fee_differences, orchestrator.treasury_fee_sums`
      yield* sql`DROP TABLE orchestrator.treasury_fees, orchestrator.treasury_fee_parts, orchestrator.treasury_sales,
        orchestrator.treasury_failures, orchestrator.treasury_rounds`
      yield* sql`DROP FUNCTION orchestrator.collect_treasury_fees, orchestrator.has_settled`
      yield* treasury
      yield* settle("c", 3)
      const [fees] = yield* (yield* TreasurySales).collected
      assert.deepInclude(fees, { amount: 6n, sweeps: 2 })
      assert.deepStrictEqual(yield* differences, [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("that differ from their sweeps are found", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* settle("a", 1)
      yield* (yield* TreasurySales).sumUp
      assert.deepStrictEqual(yield* differences, [])
      yield* sql`UPDATE orchestrator.treasury_fees SET amount = amount + 1`
      assert.deepStrictEqual(yield* differences, [{ key: KEY, kept: "4", counted: "3" }])
      yield* sql`UPDATE orchestrator.treasury_fees SET amount = amount - 2`
      assert.deepStrictEqual(yield* differences, [{ key: KEY, kept: "2", counted: "3" }])
    }).pipe(Effect.provide(layer))
  )

  it.effect("outlive the terms of a detached month", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* settle("a", 1)
      yield* sql`DELETE FROM orchestrator.intent_terms`
      assert.deepStrictEqual(yield* differences, [])
      const [fees] = yield* (yield* TreasurySales).collected
      assert.deepInclude(fees, { amount: 3n, sweeps: 1 })
    }).pipe(Effect.provide(layer))
  )
})
