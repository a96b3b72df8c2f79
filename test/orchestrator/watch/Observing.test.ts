import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { layerOnNodes } from "../../support/RelayScene.ts"
import { sweptLog } from "../../support/RelayFixtures.ts"
import { booked, sentSweep, tick } from "../../support/SentSweep.ts"

/** The endpoint that is asked first has no receipt, and another one has it. */
const behindNodes = layerOnNodes((client) => ({
  ...client,
  receipt: (hash, scope) => (scope === "everywhere" ? client.receipt(hash) : Effect.succeedNone),
  logs: () => Effect.succeed({ logs: [] })
}))

describe("an own transaction that looks displaced", () => {
  /** Looks until the transaction would be given up. */
  const waitInVain = Effect.gen(function* () {
    yield* tick
    yield* tick
    yield* TestClock.adjust(60_000)
    yield* tick
  })

  it.effect("is concluded when another endpoint has its receipt", () =>
    Effect.gen(function* () {
      const { alertKinds, attempt, bury, mineLane, order, state, status, unfinished } = yield* sentSweep()
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      state.spentNonces.add(7n)
      yield* bury(2)
      yield* waitInVain
      assert.strictEqual(yield* status, "delivered")
      assert.lengthOf(yield* unfinished, 0)
      assert.deepStrictEqual(yield* alertKinds, [])
      assert.lengthOf(yield* booked, 2)
    }).pipe(Effect.provide(behindNodes))
  )

  it.effect(
    "is concluded in the first pass after its nonce is confirmed when only another endpoint has its receipt",
    () =>
      Effect.gen(function* () {
        const { attempt, bury, mineLane, order, state, status, unfinished } = yield* sentSweep()
        yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
        state.spentNonces.add(7n)
        yield* bury(2)
        yield* tick
        assert.strictEqual(yield* status, "delivered")
        assert.lengthOf(yield* unfinished, 0)
      }).pipe(Effect.provide(behindNodes))
  )

  it.effect("waits for its receipt while a block has it", () => {
    let isLate = true
    const nodes = layerOnNodes((client) => ({
      ...client,
      receipt: (hash) => (isLate ? Effect.succeedNone : client.receipt(hash)),
      logs: (filter) => (isLate ? Effect.succeed({ logs: [] }) : client.logs(filter))
    }))
    return Effect.gen(function* () {
      const { alertKinds, attempt, bury, givenUp, mineLane, sent, unfinished } = yield* sentSweep()
      // It reverted, so that its order's nonce does not show that it was mined.
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* bury(2)
      yield* waitInVain
      yield* waitInVain
      assert.lengthOf(yield* unfinished, 1)
      assert.deepStrictEqual(yield* alertKinds, [])
      isLate = false
      yield* tick
      assert.strictEqual(yield* givenUp("a"), "stale_authorization")
      assert.lengthOf(yield* unfinished, 0)
      assert.lengthOf(yield* sent, 1)
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(nodes))
  })

  it.effect("is not given up while the other endpoints do not answer", () =>
    Effect.gen(function* () {
      const { alertKinds, bury, mineLane, unfinished } = yield* sentSweep()
      yield* mineLane({ hash: hash("foreign use of the key") })
      yield* bury(2)
      yield* waitInVain
      yield* TestClock.adjust(10_000)
      yield* tick
      assert.lengthOf(yield* unfinished, 1)
      assert.deepStrictEqual(yield* alertKinds, ["chain_unavailable"])
    }).pipe(
      Effect.provide(
        layerOnNodes((client) => ({
          ...client,
          receipt: (hash, scope) =>
            scope === "everywhere"
              ? Effect.fail(new ChainUnavailable({ chainId: client.chain.id, method: "receipt", detail: "silent" }))
              : client.receipt(hash)
        }))
      )
    )
  )
})

describe("the noted block of a transaction", () => {
  const state = { isBehind: false }
  const nodes = layerOnNodes((client) => ({
    ...client,
    receipt: (hash) => (state.isBehind ? Effect.succeedNone : client.receipt(hash)),
    block: (which) => (state.isBehind && which === 2n ? Effect.succeedNone : client.block(which))
  }))

  it.effect("is gone when another block has its place, and not when a node lacks it", () =>
    Effect.gen(function* () {
      state.isBehind = false
      const { alertKinds, attempt, bury, chain, lane, mineLane, order, pending } = yield* sentSweep()
      const { number } = yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      assert.strictEqual(number, 2n)
      yield* tick
      yield* TestClock.adjust(15_000)
      state.isBehind = true
      yield* bury(3)
      assert.strictEqual((yield* tick).rebroadcast, 0)
      assert.strictEqual((yield* pending).inclusion?.blockNumber, number)
      state.isBehind = false
      yield* chain.reorg(4)
      yield* chain.setTransactionCount(lane, 0n)
      yield* bury(4)
      assert.strictEqual((yield* tick).rebroadcast, 1)
      assert.isUndefined((yield* pending).inclusion)
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(nodes))
  )
})
