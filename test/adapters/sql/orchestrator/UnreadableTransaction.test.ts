import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { RelayTransactions } from "../../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt } from "../../../support/IntentFixtures.ts"
import { freshStores } from "../../../support/OrchestratorStores.ts"

describe("a relay transaction that cannot be read", () => {
  it.effect("is set aside, and the others are listed", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const transactions = yield* RelayTransactions
      const allocated = yield* Effect.forEach(["a", "b", "c"], (seed) =>
        transactions.allocate({
          chainId: 1,
          lane: address(0x1a4e),
          chainNonce: 0n,
          intentIds: [],
          sign: () => Effect.succeed(attempt(seed))
        })
      )
      const [first, second, third] = allocated.map(({ id }) => id)
      yield* sql`DELETE FROM orchestrator.relay_attempts WHERE transaction_id = ${String(second)}::bigint`
      const { transactions: listed, unreadable } = yield* transactions.survey(1)
      assert.deepStrictEqual(
        listed.map(({ id }) => id),
        [first, third]
      )
      assert.deepStrictEqual(
        unreadable.map(({ id }) => id),
        [second]
      )
      assert.isNotEmpty(unreadable[0]?.detail)
      assert.lengthOf(yield* transactions.unfinished(1), 2)
    }).pipe(Effect.provide(freshStores))
  )

  it.effect("hides no front of another lane", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const transactions = yield* RelayTransactions
      const lanes = [1, 2].map(address)
      for (const lane of lanes) {
        yield* transactions.allocate({
          chainId: 1,
          lane,
          chainNonce: 0n,
          intentIds: [],
          sign: () => Effect.succeed(attempt(lane))
        })
      }
      yield* sql`UPDATE orchestrator.relay_transactions SET created_at = 'infinity' WHERE lane = ${String(lanes[0])}`
      assert.deepStrictEqual(
        (yield* transactions.fronts(1)).map(({ lane }) => lane),
        lanes.slice(1)
      )
    }).pipe(Effect.provide(freshStores))
  )
})
