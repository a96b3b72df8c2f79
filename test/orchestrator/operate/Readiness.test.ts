import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Readiness } from "../../../src/orchestrator/operate/Readiness.ts"
import { StoreProbe, StoreUnavailable } from "../../../src/ports/shared/Store.ts"
import { layer as sceneLayer, layerOnNodes, scene, silent } from "../../support/RelayScene.ts"
import { source } from "../../support/RelayFixtures.ts"

const layer = Layer.provideMerge(Readiness.layer, sceneLayer)

const check = Effect.flatMap(Readiness, (readiness) => readiness.check)

/** A scene whose chains have their contracts and a fresh block. */
const readyScene = Effect.gen(function* () {
  const the = yield* scene
  for (const chain of [the.chain, the.destinationChain]) {
    for (const contract of Object.values(source.contracts)) yield* chain.setCode(contract, "0x60")
  }
  return the
})

describe("readiness", () => {
  it.effect("needs one chain that can be served, and shows why the others cannot", () =>
    Effect.gen(function* () {
      const { chain, destinationChain } = yield* readyScene
      assert.deepStrictEqual((yield* check).unready, [])

      yield* chain.setCode(source.contracts.guard, "0x")
      yield* TestClock.adjust("1 second")
      const one = yield* check
      assert.deepStrictEqual(one.unready, [])
      assert.deepStrictEqual(
        one.chains.map(({ missingContracts, ready }) => [ready, missingContracts]),
        [
          [false, ["guard"]],
          [true, []]
        ]
      )

      yield* destinationChain.fail("block")
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual((yield* check).unready, ["chains"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("needs a database that takes writes", () =>
    Effect.gen(function* () {
      yield* readyScene
      assert.deepStrictEqual((yield* check).unready, ["database"])
    }).pipe(
      Effect.provide(layer),
      Effect.provideService(
        StoreProbe,
        Effect.fail(new StoreUnavailable({ operation: "health.probe", detail: "read-only" }))
      )
    )
  )

  it.effect("is known within 2.5 seconds, even if nothing answers", () =>
    Effect.gen(function* () {
      const checking = yield* Effect.forkChild(check)
      yield* TestClock.adjust("2500 millis")
      assert.deepStrictEqual((yield* Fiber.join(checking)).unready, ["database", "chains"])
    }).pipe(
      Effect.provide(Layer.provideMerge(Readiness.layer, layerOnNodes(silent))),
      Effect.provideService(StoreProbe, Effect.never)
    )
  )
})
