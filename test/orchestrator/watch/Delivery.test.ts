import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { MemoryBridge } from "../../../src/adapters/memory/orchestrator/Bridge.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { destination, layer, sweptLog } from "../../support/RelayScene.ts"
import { booked, sentSweep, tick } from "../../support/SentSweep.ts"

describe("across chains", () => {
  const deposited = Effect.gen(function* () {
    const the = yield* sentSweep({ order: { destChainId: BigInt(destination.id), minAmountOut: 0n } })
    yield* the.mineLane({ hash: the.attempt.hash, logs: [sweptLog(the.order, { amountOut: 0n })] })
    yield* the.bury(2)
    const report = yield* tick
    assert.strictEqual(report.settledSource, 1)
    assert.strictEqual(report.delivered, 0)
    assert.strictEqual(yield* the.status, "settled_source")
    assert.lengthOf(yield* booked, 2)
    return { ...the, bridge: yield* MemoryBridge }
  })

  it.effect("a sweep is delivered when the bridge proves it", () =>
    Effect.gen(function* () {
      const { attempt, bridge, intent, status } = yield* deposited
      yield* tick
      assert.strictEqual(yield* status, "settled_source")
      yield* bridge.settle(attempt.hash, { _tag: "Delivered", txHash: hash("fill"), amountOut: 900n })
      assert.strictEqual((yield* tick).delivered, 1)
      const delivered = yield* intent("a")
      assert.strictEqual(delivered.deliveryTxHash, hash("fill"))
      assert.strictEqual(delivered.txHash, attempt.hash)
      assert.lengthOf(yield* booked, 2)
    }).pipe(Effect.provide(layer))
  )

  it.effect("a refunded sweep fails, and its fees stay booked", () =>
    Effect.gen(function* () {
      const { attempt, bridge, intent } = yield* deposited
      yield* bridge.settle(attempt.hash, { _tag: "Refunded" })
      assert.strictEqual((yield* tick).failed, 1)
      assert.strictEqual((yield* intent("a")).failureReason, "bridge_refunded")
      assert.lengthOf(yield* booked, 2)
    }).pipe(Effect.provide(layer))
  )
})
