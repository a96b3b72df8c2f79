/** Sweeps in the tables: the release before must not send their legs, and their rows leave with their last intents. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import * as KeptDataSql from "../../../../src/adapters/sql/orchestrator/KeptData.ts"
import { Intents } from "../../../../src/ports/orchestrator/Intents.ts"
import { KeptData } from "../../../../src/ports/orchestrator/KeptData.ts"
import { address, hash, newIntent, submission } from "../../../support/IntentFixtures.ts"
import { freshStores } from "../../../support/OrchestratorStores.ts"

describe("a leg", () => {
  it.effect("has a signature without an authorization, which the release before sets aside as unreadable", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      const sql = yield* PgClient.PgClient
      yield* intents.create(newIntent({ id: "a" }))
      const { authorization, signature } = submission()
      yield* intents.submitSweep({
        id: "s",
        owner: address(1),
        signature,
        legs: [{ intentId: "a", legHash: hash("leg"), authorization }]
      })
      const rows = yield* sql`
        SELECT length(signature) AS length, delegate, r, s, y_parity, authorization_nonce, authorization_chain_id
        FROM orchestrator.intent_signatures`
      assert.deepStrictEqual(rows, [
        {
          length: 0,
          delegate: null,
          r: null,
          s: null,
          y_parity: null,
          authorization_nonce: null,
          authorization_chain_id: null
        }
      ])
    }).pipe(Effect.provide(freshStores))
  )
})

describe("a sweep of intents of two months", () => {
  const layer = KeptDataSql.layer.pipe(Layer.provideMerge(freshStores))

  const detach = Effect.fnUntraced(function* (month: string) {
    const sql = yield* PgClient.PgClient
    yield* sql`SELECT orchestrator.detach_intent_month(${month}::date)`
    return yield* sql<{ id: string }>`SELECT id FROM orchestrator.sweeps ORDER BY id`
  })

  const signed = Effect.fnUntraced(function* (id: string, legs: ReadonlyArray<string>) {
    const intents = yield* Intents
    const { signature } = submission()
    yield* intents.submitSweep({
      id,
      owner: address(1),
      signature,
      legs: legs.map((intentId) => ({ intentId, legHash: hash(intentId) }))
    })
    for (const leg of legs) yield* intents.apply(leg, [{ _tag: "Failed", reason: "expired" }])
  })

  it.effect("stays until both months are detached, and keeps its signature in the table of the last one", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      const sql = yield* PgClient.PgClient
      // The second before the month that the test's clock begins with, since waiting for the next one would take long.
      yield* TestClock.setTime(-1_000)
      yield* (yield* KeptData).addMonths
      for (const id of ["december", "first"]) yield* intents.create(newIntent({ id }))
      yield* TestClock.setTime(0)
      for (const id of ["january", "last"]) yield* intents.create(newIntent({ id }))
      yield* signed("both", ["first", "last"])
      yield* signed("early", ["december"])
      yield* signed("late", ["january"])
      assert.deepStrictEqual(yield* detach("1969-12-01"), [{ id: "both" }, { id: "late" }])
      assert.isTrue(Option.isSome(yield* intents.find("last")))
      assert.deepStrictEqual(yield* detach("1970-01-01"), [])
      assert.deepStrictEqual(yield* intents.sweepsOf(address(1), { limit: 10 }), [])
      const moved = yield* sql`SELECT id, encode(signature, 'hex') = ${submission().signature.slice(2)} AS "isSigned"
        FROM orchestrator.sweeps_1970_01 ORDER BY id`
      assert.deepStrictEqual(
        moved,
        ["both", "late"].map((id) => ({ id, isSigned: true }))
      )
    }).pipe(Effect.provide(layer))
  )
})
