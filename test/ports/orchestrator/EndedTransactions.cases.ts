/** The part of the suite of {@link RelayTransactions} about transactions that ended, with and without a block. */
import { assert, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, hash } from "../../support/IntentFixtures.ts"

const lane = address(0x1a4e)

const allocate = (chainNonce = 0n) =>
  Effect.flatMap(RelayTransactions, (transactions) =>
    transactions.allocate({
      chainId: 1,
      lane,
      chainNonce,
      intentIds: [],
      sign: (nonce) => Effect.succeed(attempt(`nonce ${nonce}`))
    })
  )

export const endedCases = (stores: Layer.Layer<RelayTransactions, unknown>) => {
  it.effect(
    "finds a transaction that ended long ago without a block, and of which a version was signed or sent since",
    () =>
      Effect.gen(function* () {
        const transactions = yield* RelayTransactions
        const { id } = yield* allocate()
        const other = yield* allocate()
        yield* transactions.finalize([{ id }, { id: other.id }])
        yield* transactions.addAttempt(id, { ...attempt("since"), signedAtMs: 200 }, "cancel")
        const found = (sinceMs: number) =>
          Effect.map(transactions.displaced(1, sinceMs), (all) => all.map((each) => each.id))
        assert.deepStrictEqual(yield* found(199), [id])
        assert.deepStrictEqual(yield* found(200), [])
        yield* TestClock.adjust("300 millis")
        yield* transactions.markBroadcast(hash("since"))
        assert.deepStrictEqual(yield* found(299), [id])
        assert.deepStrictEqual(yield* found(300), [])
      }).pipe(Effect.provide(stores))
  )

  it.effect("tells the highest nonce of a lane, without transactions that ended without a block", () =>
    Effect.gen(function* () {
      const transactions = yield* RelayTransactions
      const next = transactions.nextNonce(1, lane)
      assert.strictEqual(yield* next, 0n)
      const mined = yield* allocate(7n)
      assert.strictEqual(yield* next, 8n)
      assert.deepStrictEqual(
        [yield* transactions.nextNonce(2, lane), yield* transactions.nextNonce(1, address(2))],
        [0n, 0n]
      )
      const displaced = yield* allocate(1_000n)
      assert.strictEqual(yield* next, 1_001n)
      const inclusion = { hash: hash("x"), blockNumber: 9n, blockHash: hash("block") }
      yield* transactions.finalize([{ id: displaced.id }, { id: mined.id, inclusion }])
      assert.strictEqual(yield* next, 8n)
    }).pipe(Effect.provide(stores))
  )
}
