/** Alerts of lanes that cannot sign other versions of their transactions, from their cause to their end, in one process and in two. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Watcher } from "../../../src/orchestrator/watch/Watcher.ts"
import { RelayerKeys, SigningFailed } from "../../../src/ports/orchestrator/RelayerKeys.ts"
import { sweptLog } from "../../support/RelayFixtures.ts"
import { onDemandIn, scene, world } from "../../support/RelayScene.ts"
import { relay, sentSweep, tick } from "../../support/SentSweep.ts"

/** Covers every version that the tests sign. */
const RICH = { gas: 200_000n, gasPrice: 10n ** 11n, value: 10n ** 17n }

/** A scene whose signer a test stops. */
const stage = () => {
  const signer = { signs: () => true }
  const keys = Layer.effect(
    RelayerKeys,
    Effect.map(RelayerKeys, (real) => ({
      ...real,
      sign: (lane, transaction) =>
        signer.signs()
          ? real.sign(lane, transaction)
          : Effect.fail(new SigningFailed({ lane, detail: "the signer is gone" }))
    }))
  ).pipe(Layer.provideMerge(world))
  return { signer, layer: onDemandIn(keys) }
}

describe("the alert of a lane that could not sign", () => {
  it.effect("ends when nothing has had to be signed for a while", () => {
    const { layer, signer } = stage()
    return Effect.gen(function* () {
      const { alertKinds, attempt, bury, mineLane, order, unfinished } = yield* sentSweep()
      signer.signs = () => false
      yield* TestClock.adjust(45_000)
      yield* tick
      assert.deepStrictEqual(yield* alertKinds, ["signing_failed"])
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(2)
      yield* tick
      assert.lengthOf(yield* unfinished, 0)
      yield* TestClock.adjust(59_999)
      yield* tick
      assert.deepStrictEqual(yield* alertKinds, ["signing_failed"])
      yield* TestClock.adjust(1)
      yield* tick
      yield* TestClock.adjust(20_000)
      yield* tick
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(layer))
  })

  it.effect("stands while another process signs, and ends when its own process signs again", () => {
    const { layer, signer } = stage()
    return Effect.gen(function* () {
      const { alerts } = yield* sentSweep({ cover: RICH })
      const other = yield* Layer.build(Layer.fresh(Watcher.layerOnDemand))
      const ids = Effect.map(alerts.list, (all) => all.map(({ id, kind }) => `${kind} ${id}`))
      signer.signs = () => false
      yield* TestClock.adjust(45_000)
      yield* tick
      const raised = yield* ids
      assert.lengthOf(raised, 1)
      signer.signs = () => true
      assert.strictEqual((yield* tick.pipe(Effect.provide(other))).replaced, 1)
      assert.deepStrictEqual(yield* ids, raised)
      yield* TestClock.adjust(45_000)
      assert.strictEqual((yield* tick).replaced, 1)
      assert.deepStrictEqual(yield* ids, [])
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect(
    "stands when its own process signs again while another one renews it, and ends 20 seconds after that",
    () => {
      const { layer, signer } = stage()
      return Effect.gen(function* () {
        const { alerts } = yield* sentSweep({ cover: RICH })
        const other = yield* Layer.build(Layer.fresh(Watcher.layerOnDemand))
        const ids = Effect.map(alerts.list, (all) => all.map(({ id, kind }) => `${kind} ${id}`))
        signer.signs = () => false
        yield* TestClock.adjust(45_000)
        yield* tick
        const raised = yield* ids
        assert.lengthOf(raised, 1)
        yield* TestClock.adjust(15_000)
        yield* tick.pipe(Effect.provide(other))
        signer.signs = () => true
        assert.strictEqual((yield* tick).replaced, 1)
        assert.deepStrictEqual(yield* ids, raised)
        yield* TestClock.adjust(15_000)
        yield* tick
        assert.deepStrictEqual(yield* ids, raised)
        yield* TestClock.adjust(5_000)
        yield* tick
        assert.deepStrictEqual(yield* ids, [])
      }).pipe(Effect.scoped, Effect.provide(layer))
    }
  )

  it.effect("ends after its process is gone", () => {
    const { layer, signer } = stage()
    return Effect.gen(function* () {
      const { alertKinds } = yield* sentSweep()
      signer.signs = () => false
      yield* TestClock.adjust(45_000)
      yield* tick.pipe(Effect.provide(Layer.fresh(Watcher.layerOnDemand)))
      assert.deepStrictEqual(yield* alertKinds, ["signing_failed"])
      signer.signs = () => true
      for (const millis of [1_000, 25_000, 5_000]) {
        yield* TestClock.adjust(millis)
        yield* tick
      }
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(layer))
  })

  it.effect("stands if a batch raised it, until a batch is signed", () => {
    const { layer, signer } = stage()
    return Effect.gen(function* () {
      const { alertKinds, submit } = yield* scene
      signer.signs = () => false
      yield* submit({ id: "a" })
      assert.strictEqual((yield* relay).sent, 0)
      for (let round = 0; round < 5; round++) {
        assert.deepStrictEqual(yield* alertKinds, ["signing_failed"])
        yield* TestClock.adjust(30_000)
        yield* tick
      }
      signer.signs = () => true
      assert.strictEqual((yield* relay).sent, 1)
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(layer))
  })
})
