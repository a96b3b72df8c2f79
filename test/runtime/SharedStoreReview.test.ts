/** The alert about a Redis that is away: after three failed probes, and until it answers every process. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as AlertsInMemory from "../../src/adapters/memory/shared/Alerts.ts"
import * as Redis from "../../src/apps/Redis.ts"
import { Alerts } from "../../src/ports/shared/Alerts.ts"
import { SharedWindows, SharedWindowsUnavailable } from "../../src/ports/shared/SharedWindows.ts"
import * as SharedStoreReview from "../../src/runtime/SharedStoreReview.ts"

interface State {
  mood: "answers" | "fails" | "silent"
}

/** The review of a store in the mood that a test sets. */
const review = (state: State) =>
  SharedStoreReview.layer.pipe(
    Layer.provide(
      Layer.succeed(SharedWindows, {
        take: () =>
          Effect.suspend(() => {
            if (state.mood === "silent") return Effect.never
            return state.mood === "fails"
              ? Effect.fail(new SharedWindowsUnavailable({ detail: "refused" }))
              : Effect.succeed({ count: 1, remainingMillis: 1_000 })
          })
      })
    )
  )

const standing = Effect.flatMap(Alerts, ({ list }) => Effect.map(list, (all) => all.map(({ kind }) => kind)))

describe("SharedStoreReview", () => {
  it.effect.each(["fails", "silent"] as const)("raises an alert if the store %s for a while, and clears it", (mood) =>
    Effect.gen(function* () {
      const state: State = { mood: "answers" }
      yield* Layer.build(review(state))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing, [])
      state.mood = mood
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(yield* standing, [])
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(yield* standing, ["redis_away"])
      state.mood = "answers"
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing, [])
    }).pipe(Effect.provide(AlertsInMemory.layer))
  )

  it.effect("clears the alert of an earlier process", () =>
    Effect.gen(function* () {
      const { raise } = yield* Alerts
      yield* raise({ key: "redis_away", severity: "warning", kind: "redis_away", message: "", details: {} })
      yield* Layer.build(review({ mood: "answers" }))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing, [])
    }).pipe(Effect.provide(AlertsInMemory.layer))
  )

  it.effect("keeps the alert while one process does not reach the store, also when others start that do", () =>
    Effect.gen(function* () {
      const apart: State = { mood: "fails" }
      yield* Layer.build(Layer.fresh(review(apart)))
      yield* TestClock.adjust("1 minute")
      yield* Layer.build(Layer.fresh(review({ mood: "answers" })))
      yield* TestClock.adjust("20 seconds")
      const [raised] = yield* (yield* Alerts).list
      assert.strictEqual(raised?.kind, "redis_away")
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual((yield* (yield* Alerts).list)[0]?.id, raised?.id)
      apart.mood = "answers"
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing, [])
    }).pipe(Effect.provide(AlertsInMemory.layer))
  )

  it.effect("ends the alert that a process raised once more before it ended, while others had reached the store", () =>
    Effect.gen(function* () {
      const old = yield* Scope.make()
      yield* Layer.buildWithScope(Layer.fresh(review({ mood: "fails" })), old)
      yield* TestClock.adjust("1 minute")
      yield* Layer.build(Layer.fresh(review({ mood: "answers" })))
      yield* TestClock.adjust("16 seconds")
      yield* Scope.close(old, Exit.void)
      assert.deepStrictEqual(yield* standing, ["redis_away"])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing, [])
    }).pipe(Effect.provide(AlertsInMemory.layer))
  )

  it.effect("ends the alert where no store is configured any more, once no process renews it", () =>
    Effect.gen(function* () {
      const old = yield* Scope.make()
      yield* Layer.buildWithScope(Layer.fresh(review({ mood: "fails" })), old)
      yield* TestClock.adjust("1 minute")
      yield* Layer.build(Redis.review(undefined))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing, ["redis_away"])
      yield* Scope.close(old, Exit.void)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing, [])
    }).pipe(Effect.provide(AlertsInMemory.layer))
  )
})
