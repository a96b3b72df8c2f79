import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Logger, Result } from "effect"
import { RateLimiter } from "effect/persistence"
import { TestClock } from "effect/testing"
import { SharedWindows, SharedWindowsUnavailable, type Taking } from "../../../src/ports/shared/SharedWindows.ts"
import * as SharedRateLimits from "../../../src/server/shared/SharedRateLimits.ts"

type Mood = "answers" | "fails" | "fails once" | "silent"

/** A limiter over a store with a mood. It remembers the requests to the store, and the lines of the log. */
const harness = () => {
  const asked: Array<Taking> = []
  const lines: Array<string> = []
  const parts = { mood: "answers" as Mood, asked, lines, count: 0 }
  const store = Layer.succeed(SharedWindows, {
    take: (taking) =>
      Effect.suspend(() => {
        asked.push(taking)
        if (parts.mood === "silent") return Effect.never
        const fails = parts.mood.startsWith("fails")
        if (parts.mood === "fails once") parts.mood = "answers"
        if (fails) return Effect.fail(new SharedWindowsUnavailable({ detail: "connection refused" }))
        if (taking.key === "probe") return Effect.succeed({ count: 1, remainingMillis: taking.windowMillis })
        parts.count = Math.min(parts.count + 1, taking.limit + 1)
        return Effect.succeed({ count: parts.count, remainingMillis: 7_000 })
      })
  })
  const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
  const layer = RateLimiter.layer.pipe(
    Layer.provide(SharedRateLimits.layer),
    Layer.provide(store),
    Layer.provide(logger)
  )
  return { parts, layer }
}

const passes = Effect.gen(function* () {
  const limiter = yield* RateLimiter.RateLimiter
  return Result.isSuccess(yield* Effect.result(limiter.consume({ key: "a", limit: 2, window: "60 seconds" })))
})

describe("SharedRateLimits", () => {
  it.effect("counts in the shared store, in whole windows", () => {
    const { layer, parts } = harness()
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* Effect.all([passes, passes, passes]), [true, true, false])
      assert.deepStrictEqual(parts.asked.at(-1), { key: "a", tokens: 1, limit: 2, windowMillis: 60_000 })
      assert.deepStrictEqual(parts.lines, [])
    }).pipe(Effect.provide(layer))
  })

  it.effect("counts in this process while the store fails, and logs that once", () => {
    const { layer, parts } = harness()
    return Effect.gen(function* () {
      parts.mood = "fails"
      assert.deepStrictEqual(yield* Effect.all([passes, passes, passes]), [true, true, false])
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(parts.lines, ["rate_limits.local"])
      parts.mood = "answers"
      yield* TestClock.adjust("1 seconds")
      assert.deepStrictEqual(parts.lines, ["rate_limits.local", "rate_limits.shared"])
      assert.isTrue(yield* passes)
      assert.strictEqual(parts.asked.at(-1)?.key, "a")
    }).pipe(Effect.provide(layer))
  })

  it.effect("goes on with its own count when the store is lost", () => {
    const { layer, parts } = harness()
    return Effect.gen(function* () {
      assert.isTrue(yield* passes)
      parts.mood = "fails"
      assert.deepStrictEqual(yield* Effect.all([passes, passes]), [true, false])
    }).pipe(Effect.provide(layer))
  })

  it.effect("waits for a silent store once, and lets no further request wait", () => {
    const { layer, parts } = harness()
    return Effect.gen(function* () {
      parts.mood = "silent"
      const waiting = yield* Effect.forkChild(passes)
      yield* TestClock.adjust("50 millis")
      assert.isTrue(yield* Fiber.join(waiting))
      const before = yield* Clock.currentTimeMillis
      assert.isTrue(yield* passes)
      assert.strictEqual(yield* Clock.currentTimeMillis, before)
      assert.lengthOf(
        parts.asked.filter(({ key }) => key === "a"),
        1
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("starts without the store", () => {
    const { layer, parts } = harness()
    parts.mood = "silent"
    return Effect.gen(function* () {
      const started = yield* Effect.forkChild(Effect.provide(passes, layer))
      yield* TestClock.adjust("50 millis")
      assert.isTrue(yield* Fiber.join(started))
    })
  })

  it.effect("does not log one failure that a probe does not repeat", () => {
    const { layer, parts } = harness()
    return Effect.gen(function* () {
      parts.mood = "fails once"
      assert.isTrue(yield* passes)
      yield* TestClock.adjust("1 seconds")
      assert.isTrue(yield* passes)
      assert.deepStrictEqual(
        parts.asked.map(({ key }) => key),
        ["probe", "a", "probe", "a"]
      )
      assert.deepStrictEqual(parts.lines, [])
    }).pipe(Effect.provide(layer))
  })
})
