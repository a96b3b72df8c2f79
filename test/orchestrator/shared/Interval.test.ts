import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Interval from "../../../src/orchestrator/shared/Interval.ts"

describe("an interval", () => {
  it.effect("is due at first, and then once in its time, for each key", () =>
    Effect.gen(function* () {
      const isDue = Interval.make<string>(10_000)
      assert.isTrue(yield* isDue("a"))
      yield* TestClock.adjust(9_999)
      assert.isFalse(yield* isDue("a"))
      assert.isTrue(yield* isDue("b"))
      yield* TestClock.adjust(1)
      assert.isTrue(yield* isDue("a"))
      assert.isFalse(yield* isDue("a"))
    })
  )

  it.effect("is due after the clock was set back", () =>
    Effect.gen(function* () {
      const isDue = Interval.make<string>(10_000)
      yield* TestClock.setTime(3_600_000)
      assert.isTrue(yield* isDue("a"))
      yield* TestClock.setTime(0)
      assert.isTrue(yield* isDue("a"))
    })
  )
})
