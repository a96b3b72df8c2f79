import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { layer, layerOnNodes } from "../../support/RelayScene.ts"
import { destination, source, sweptLog } from "../../support/RelayFixtures.ts"
import { booked, sentSweep, tick } from "../../support/SentSweep.ts"

/** Passes over time: an alert needs more than one failed pass. */
const tickForLong = Effect.andThen(tick, Effect.andThen(TestClock.adjust("10 seconds"), tick))

/** Passes until nobody has renewed an alert for 20 seconds. */
const tickToTheEnd = Effect.repeat(Effect.andThen(tick, TestClock.adjust("5 seconds")), { times: 5 })

describe("what does not work", () => {
  it.effect("one chain's node being down is alerted, and stops no other chain", () =>
    Effect.gen(function* () {
      const { alertKinds, attempt, bury, chain, destinationChain, mineLane, order, status } = yield* sentSweep()
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(2)
      yield* destinationChain.fail("block")
      const report = yield* tick
      assert.deepStrictEqual(report.unavailableChains, [destination.id])
      assert.strictEqual(yield* status, "delivered")
      assert.deepStrictEqual(yield* alertKinds, [])
      yield* TestClock.adjust("10 seconds")
      yield* tick
      assert.deepStrictEqual(yield* alertKinds, ["chain_unavailable"])
      yield* destinationChain.fail()
      assert.deepStrictEqual((yield* tick).unavailableChains, [])
      yield* tickToTheEnd
      assert.deepStrictEqual(yield* alertKinds, [])
      yield* destinationChain.fail("block")
      yield* tickForLong
      yield* destinationChain.fail()
      yield* tickToTheEnd
      assert.deepStrictEqual(yield* alertKinds, [])
      yield* chain.fail("block")
      yield* tickForLong
      assert.deepStrictEqual(yield* alertKinds, ["chain_unavailable"])
      yield* chain.fail()
      yield* tickToTheEnd
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("single passes that fail are no proof that a node is down", () =>
    Effect.gen(function* () {
      const { alertKinds, chain } = yield* sentSweep()
      for (let pass = 0; pass < 5; pass++) {
        yield* chain.fail("block")
        yield* tick
        assert.deepStrictEqual(yield* alertKinds, [])
        yield* TestClock.adjust("8 seconds")
        yield* chain.fail()
        yield* tick
        yield* TestClock.adjust("8 seconds")
      }
    }).pipe(Effect.provide(layer))
  )

  it.effect("a node that forgets receipts and logs decides nothing", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, mineLane, order, status } = yield* sentSweep()
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(2)
      yield* chain.fail("receipt")
      assert.deepStrictEqual((yield* tick).unavailableChains, [source.id])
      assert.strictEqual(yield* status, "submitted")
      yield* chain.fail()
      yield* tick
      assert.strictEqual(yield* status, "delivered")
    }).pipe(Effect.provide(layer))
  )

  it.effect("a receipt from a block that is not the node's own any more decides nothing", () =>
    Effect.gen(function* () {
      const { alertKinds, attempt, bury, mineLane, order, status } = yield* sentSweep()
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(2)
      assert.deepStrictEqual((yield* tick).unavailableChains, [source.id])
      assert.strictEqual(yield* status, "submitted")
      // A reorganisation shows the same for a moment.
      assert.deepStrictEqual(yield* alertKinds, [])
      yield* tickForLong
      assert.deepStrictEqual(yield* alertKinds, ["chain_unavailable"])
      assert.lengthOf(yield* booked, 0)
    }).pipe(
      Effect.provide(
        layerOnNodes((client) => ({
          ...client,
          receipt: (txHash) =>
            Effect.map(client.receipt(txHash), (found) =>
              Option.map(found, (receipt) => Object.assign(receipt, { blockHash: hash("a dead branch") }))
            )
        }))
      )
    )
  )

  it.effect("a settlement of a failed intent is left to the operator", () =>
    Effect.gen(function* () {
      const { alertKinds, attempt, bury, mineLane, order, status, unfinished } = yield* sentSweep()
      yield* Effect.flatMap(Intents, (intents) => intents.apply("a", [{ _tag: "Failed", reason: "reverted" }]))
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(2)
      yield* tick
      assert.strictEqual(yield* status, "failed")
      assert.deepStrictEqual(yield* alertKinds, ["settled_after_failure"])
      assert.lengthOf(yield* unfinished, 0)
    }).pipe(Effect.provide(layer))
  )
})
