import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Ref, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as AlertsInMemory from "../../../src/adapters/memory/shared/Alerts.ts"
import * as ScreeningInMemory from "../../../src/adapters/memory/shared/Screening.ts"
import { orchestratorDefaults } from "../../../src/config/Orchestrator.ts"
import * as KeptClearances from "../../../src/orchestrator/shared/KeptClearances.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { ProcessShare } from "../../../src/orchestrator/shared/ProcessShare.ts"
import type { Role } from "../../../src/domain/Role.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import { Screening } from "../../../src/ports/shared/Screening.ts"
import * as Priority from "../../../src/ports/shared/Priority.ts"
import { address, chain, layer as fakeChain } from "../../support/FakeChain.ts"
import { urgentOnly } from "../../support/UrgentScreening.ts"

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

  it.effect("let nobody pass whose clearance is from before the clock was set back", () =>
    Effect.gen(function* () {
      const { clear, set } = yield* setUp
      yield* TestClock.setTime(7_200_000)
      assert.strictEqual(yield* clear(OWNER), "clear")
      yield* set({ available: false })
      yield* TestClock.setTime(3_600_000)
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
      yield* TestClock.adjust("25 seconds")
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

describe("the alert of unanswered screening", () => {
  it.effect("is not raised while only quotes are refused", () =>
    Effect.gen(function* () {
      const screening = yield* Screening
      const refused = yield* Effect.flip(Priority.at("quote")(screening.clear(chain.id, [OWNER])))
      assert.strictEqual(refused.cause, "unavailable")
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* Effect.flatMap(Alerts, ({ list }) => list), [])
    }).pipe(
      Effect.provide(
        KeptClearances.layer.pipe(
          Layer.provide([OrchestratorSettings.layer(orchestratorDefaults), urgentOnly]),
          Layer.provideMerge(Layer.merge(AlertsInMemory.layer, fakeChain({})))
        )
      )
    )
  )
})

describe("the alert of several processes", () => {
  const shared = Layer.mergeAll(AlertsInMemory.layer, fakeChain({}))

  /** A process with sources of its own over the shared store. */
  const start = Effect.fnUntraced(function* (roles: ReadonlyArray<Role> = ["api"]) {
    const scope = yield* Scope.make()
    const context = yield* KeptClearances.layer.pipe(
      Layer.provide(OrchestratorSettings.layer(orchestratorDefaults)),
      Layer.provide(Layer.succeed(ProcessShare, { roles: new Set(roles), chains: undefined })),
      Layer.provideMerge(ScreeningInMemory.layer()),
      Layer.buildWithScope(scope)
    )
    return yield* Effect.gen(function* () {
      const screening = yield* Screening
      const state = yield* ScreeningInMemory.ScreeningState
      return {
        refuse: Effect.ignore(screening.clear(chain.id, [OWNER])),
        answers: (available: boolean) => Ref.update(state, (now) => ({ ...now, available })),
        stop: Scope.close(scope, Exit.void)
      }
    }).pipe(Effect.provide(context))
  })

  const since = Effect.flatMap(Alerts, ({ list }) => Effect.map(list, (alerts) => alerts.map(({ sinceMs }) => sinceMs)))

  /** The beginning of the alert, a review after the refusal. */
  const raised = Effect.gen(function* () {
    yield* TestClock.adjust("5 seconds")
    const times = yield* since
    assert.lengthOf(times, 1)
    return times.join()
  })

  /** The different beginnings of the alert in the next seconds. */
  const afterwards = (seconds: number) =>
    Effect.gen(function* () {
      const found = new Set<string>()
      for (let second = 0; second < seconds; second++) {
        yield* TestClock.adjust("1 second")
        found.add((yield* since).join())
      }
      return [...found]
    })

  it.effect("is not cleared by one without refusals, and is cleared after its process has gone", () =>
    Effect.gen(function* () {
      const refusing = yield* start()
      const idle = yield* start()
      yield* refusing.answers(false)
      yield* refusing.refuse
      const original = yield* raised
      assert.deepStrictEqual(yield* afterwards(180), [original])
      // The others stay silent too, so that its end proves nothing.
      yield* idle.answers(false)
      yield* refusing.stop
      assert.deepStrictEqual(yield* afterwards(180), [original])
      yield* idle.answers(true)
      yield* TestClock.adjust("25 seconds")
      assert.deepStrictEqual(yield* since, [])
    }).pipe(Effect.scoped, Effect.provide(shared))
  )

  it.effect("stands until the last of those that are refused has an answer", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* start(), yield* start()]
      for (const each of [first, second]) {
        yield* each.answers(false)
        yield* each.refuse
      }
      const original = yield* raised
      yield* first.answers(true)
      assert.deepStrictEqual(yield* afterwards(180), [original])
      yield* second.answers(true)
      yield* TestClock.adjust("25 seconds")
      assert.deepStrictEqual(yield* since, [])
    }).pipe(Effect.scoped, Effect.provide(shared))
  )

  it.effect("goes on in one that takes it over, beside another one whose sources answer", () =>
    Effect.gen(function* () {
      const [refusing, silent] = [yield* start(), yield* start()]
      yield* start()
      yield* refusing.answers(false)
      yield* silent.answers(false)
      yield* refusing.refuse
      yield* raised
      yield* refusing.stop
      yield* TestClock.adjust("1 minute")
      const taken = (yield* since).join()
      assert.notStrictEqual(taken, "")
      assert.deepStrictEqual(yield* afterwards(180), [taken])
    }).pipe(Effect.scoped, Effect.provide(shared))
  )

  it.effect("is left to processes that screen", () =>
    Effect.gen(function* () {
      const [refusing, watching] = [yield* start(["relay"]), yield* start(["watch", "outbox"])]
      yield* refusing.answers(false)
      yield* refusing.refuse
      const original = yield* raised
      yield* refusing.stop
      yield* watching.answers(true)
      assert.deepStrictEqual(yield* afterwards(180), [original])
    }).pipe(Effect.scoped, Effect.provide(shared))
  )
})
