import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { layer, layerOnNodes } from "../../support/RelayScene.ts"
import { source } from "../../support/RelayFixtures.ts"
import { sentSweep, tick } from "../../support/SentSweep.ts"

describe("a transaction that was given up to a stranger", () => {
  /** Looks until the transaction would be given up. */
  const waitInVain = Effect.gen(function* () {
    yield* tick
    yield* tick
    yield* TestClock.adjust(60_000)
    yield* tick
  })

  it.effect("is booked when its receipt comes after all, and the alert about its lane ends", () =>
    Effect.gen(function* () {
      const transactions = yield* RelayTransactions
      const { alertKinds, attempt, bury, chain, mineLane, status, unfinished } = yield* sentSweep()
      // The node loses the block, but not the nonce that the block spent.
      yield* mineLane({ hash: hash("in its place") })
      yield* bury(2)
      yield* waitInVain
      assert.lengthOf(yield* unfinished, 0)
      assert.deepStrictEqual(yield* alertKinds, ["foreign_nonce"])
      assert.strictEqual(yield* transactions.spending(source.id, 0), 0n)

      const mined = yield* chain.mine([{ hash: attempt.hash, status: "reverted", gasUsed: 100_000n, dataFee: 3n }])
      yield* TestClock.adjust(10_000)
      yield* tick
      assert.deepStrictEqual(yield* alertKinds, ["foreign_nonce"])
      yield* bury(2)
      yield* TestClock.adjust(10_000)
      yield* tick
      assert.deepStrictEqual(yield* alertKinds, [])
      assert.strictEqual(yield* transactions.spending(source.id, 0), 100_000n * mined.baseFeePerGas + 3n)
      yield* TestClock.adjust(10_000)
      yield* tick
      assert.strictEqual(yield* transactions.spending(source.id, 0), 100_000n * mined.baseFeePerGas + 3n)
      assert.strictEqual(yield* status, "submitted")
    }).pipe(Effect.provide(layer))
  )

  it.effect("is booked when only another endpoint has its receipt", () => {
    const nodes = layerOnNodes((client) => ({
      ...client,
      receipt: (id, scope) => (scope === undefined ? Effect.succeedNone : client.receipt(id))
    }))
    return Effect.gen(function* () {
      const { alertKinds, attempt, bury, chain, mineLane } = yield* sentSweep()
      yield* mineLane({ hash: hash("in its place") })
      yield* bury(2)
      yield* waitInVain
      assert.deepStrictEqual(yield* alertKinds, ["foreign_nonce"])
      yield* chain.mine([{ hash: attempt.hash, status: "reverted", gasUsed: 100_000n }])
      yield* bury(2)
      yield* TestClock.adjust(10_000)
      yield* tick
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(nodes))
  })

  it.effect("is booked at the next look although the clock was set back", () =>
    Effect.gen(function* () {
      const { alertKinds, attempt, bury, chain, mineLane } = yield* sentSweep()
      yield* mineLane({ hash: hash("in its place") })
      yield* bury(2)
      yield* waitInVain
      yield* chain.mine([{ hash: attempt.hash, status: "reverted", gasUsed: 100_000n, dataFee: 3n }])
      yield* TestClock.adjust(3_600_000)
      yield* tick
      assert.deepStrictEqual(yield* alertKinds, ["foreign_nonce"])
      yield* TestClock.setTime((yield* Clock.currentTimeMillis) - 3_500_000)
      yield* bury(2)
      yield* tick
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(layer))
  )
})
