import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import * as AlertsInMemory from "../../../src/adapters/memory/shared/Alerts.ts"
import * as ScreeningInMemory from "../../../src/adapters/memory/shared/Screening.ts"
import { orchestratorDefaults } from "../../../src/config/Orchestrator.ts"
import * as KeptClearances from "../../../src/orchestrator/shared/KeptClearances.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import { Screening } from "../../../src/ports/shared/Screening.ts"
import { address, chain, layer as fakeChain } from "../../support/FakeChain.ts"

const OWNER = address(1)
const OTHER = address(2)

const layer = KeptClearances.layer.pipe(
  Layer.provide(OrchestratorSettings.layer({ ...orchestratorDefaults, clearanceLifetimeMillis: 60_000 })),
  Layer.provideMerge(Layer.mergeAll(ScreeningInMemory.layer(), AlertsInMemory.layer, fakeChain({})))
)

const setUp = Effect.gen(function* () {
  const context = yield* Layer.build(layer)
  return yield* Effect.gen(function* () {
    const screening = yield* Screening
    const state = yield* ScreeningInMemory.ScreeningState
    const { list } = yield* Alerts
    return {
      clear: (...addresses: ReadonlyArray<typeof OWNER>) =>
        Effect.match(screening.clear(chain.id, addresses), {
          onFailure: ({ cause }) => cause,
          onSuccess: () => "clear" as const
        }),
      set: (change: Partial<ScreeningInMemory.State>) => Ref.update(state, (now) => ({ ...now, ...change })),
      kinds: Effect.map(list, (alerts) => alerts.map(({ kind }) => kind))
    }
  }).pipe(Effect.provide(context))
})

describe("kept clearances", () => {
  it.effect("let those pass who were cleared in the last minute, and nobody else", () =>
    Effect.gen(function* () {
      const { clear, set } = yield* setUp
      assert.strictEqual(yield* clear(OWNER), "clear")
      yield* set({ available: false })
      assert.strictEqual(yield* clear(OWNER), "clear")
      assert.strictEqual(yield* clear(OTHER), "unavailable")
      assert.strictEqual(yield* clear(OWNER, OTHER), "unavailable")
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual(yield* clear(OWNER), "unavailable")
    })
  )

  it.effect("are of one chain", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(layer)
      yield* Effect.gen(function* () {
        const screening = yield* Screening
        yield* screening.clear(chain.id, [OWNER])
        yield* Ref.update(yield* ScreeningInMemory.ScreeningState, (state) => ({ ...state, available: false }))
        assert.strictEqual((yield* Effect.flip(screening.clear(chain.id + 1, [OWNER]))).cause, "unavailable")
      }).pipe(Effect.provide(context))
    })
  )

  it.effect("are not asked while the sources answer, so that a new listing blocks at once", () =>
    Effect.gen(function* () {
      const { clear, set } = yield* setUp
      assert.strictEqual(yield* clear(OWNER), "clear")
      yield* set({ listed: new Set([OWNER]) })
      assert.strictEqual(yield* clear(OWNER), "listed")
      // And the earlier clearance is forgotten.
      yield* set({ listed: new Set(), available: false })
      assert.strictEqual(yield* clear(OWNER), "unavailable")
    })
  )

  it.effect("raise an alert while refusals continue, and clear it when the sources answer", () =>
    Effect.gen(function* () {
      const { clear, kinds, set } = yield* setUp
      yield* set({ available: false })
      yield* clear(OTHER)
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* kinds, ["screening_unavailable"])
      yield* set({ available: true })
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* kinds, [])
      // One lost answer is no condition.
      yield* set({ available: false })
      yield* clear(OTHER)
      yield* set({ available: true })
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* kinds, [])
    })
  )
})
