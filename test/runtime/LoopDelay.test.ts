import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { LoopDelay } from "../../src/runtime/LoopDelay.ts"

const BLOCK_MILLIS = 60

/** Keeps the event loop busy. */
const block = Effect.sync(() => {
  const until = performance.now() + BLOCK_MILLIS
  while (performance.now() < until);
})

describe("the delay of the event loop", () => {
  it.live("grows while tasks keep the loop busy, and is 0 once nothing is measured", () =>
    Effect.gen(function* () {
      const delay = yield* LoopDelay
      const busy = Effect.gen(function* () {
        // Each block makes the measurement that is due late, so the mean must reach this sooner or later.
        while (delay.millis() < 10) yield* Effect.andThen(block, Effect.sleep(1))
      })
      yield* delay.measured(busy)
      while (delay.millis() !== 0) yield* Effect.sleep(5)
    }).pipe(Effect.provide(LoopDelay.layer))
  )

  it.effect("is 0 while a clock that stands is waited for", () =>
    Effect.gen(function* () {
      const delay = yield* LoopDelay
      yield* Effect.forkChild(delay.measured(Effect.never))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(delay.millis(), 0)
    }).pipe(Effect.provide(LoopDelay.layer))
  )
})
