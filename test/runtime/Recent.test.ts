import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch } from "effect"
import { TestClock } from "effect/testing"
import { recent } from "../../src/runtime/Recent.ts"

describe("a recent result", () => {
  it.effect("answers all callers until it is old", () =>
    Effect.gen(function* () {
      let runs = 0
      const result = yield* recent(1_000)(Effect.sync(() => ++runs))
      const asked = yield* Effect.all(
        Array.from({ length: 20 }, () => result),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([...new Set(asked)], [1])
      yield* TestClock.adjust(999)
      assert.strictEqual(yield* result, 1)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* result, 2)
    })
  )

  it.effect("comes to the others when the caller that began it leaves", () =>
    Effect.gen(function* () {
      const gate = yield* Latch.make()
      const result = yield* recent(1_000)(Effect.as(gate.await, "done"))
      const first = yield* Effect.forkChild(result, { startImmediately: true })
      const second = yield* Effect.forkChild(result, { startImmediately: true })
      yield* Fiber.interrupt(first)
      yield* gate.open
      assert.strictEqual(yield* Fiber.join(second), "done")
    })
  )

  it.effect("is a failure for all callers of that time, and is tried again", () =>
    Effect.gen(function* () {
      let runs = 0
      const result = yield* recent(1_000)(
        Effect.suspend(() => (++runs === 1 ? Effect.fail("no") : Effect.succeed("yes")))
      )
      assert.strictEqual(yield* Effect.flip(result), "no")
      assert.strictEqual(yield* Effect.flip(result), "no")
      yield* TestClock.adjust(1_000)
      assert.strictEqual(yield* result, "yes")
    })
  )
})
