import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Result } from "effect"
import { RateLimiter } from "effect/persistence"
import { TestClock } from "effect/testing"
import * as RateLimitStore from "../../../src/server/shared/RateLimitStore.ts"

const test = Layer.provide(RateLimiter.layer, RateLimitStore.layerMemory)

/** Milliseconds until the window resets when refused, else nothing. */
const refusedFor = (key: string, limit = 3) =>
  Effect.gen(function* () {
    const limiter = yield* RateLimiter.RateLimiter
    const result = yield* Effect.result(limiter.consume({ key, limit, window: "60 seconds" }))
    if (Result.isSuccess(result)) return undefined
    const { reason } = result.failure
    return reason._tag === "RateLimitExceeded" ? Duration.toMillis(reason.retryAfter) : -1
  })

describe("RateLimitStore", () => {
  it.effect("begins a window with its first request and ends it a whole window later", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* refusedFor("a"))
      yield* TestClock.adjust("40 seconds")
      assert.isUndefined(yield* refusedFor("a"))
      assert.isUndefined(yield* refusedFor("a"))
      assert.strictEqual(yield* refusedFor("a"), 20_000)
      yield* TestClock.adjust("19999 millis")
      assert.strictEqual(yield* refusedFor("a"), 1)
      yield* TestClock.adjust("1 millis")
      assert.isUndefined(yield* refusedFor("a"))
    }).pipe(Effect.provide(test))
  )

  it.effect("counts keys apart", () =>
    Effect.gen(function* () {
      for (let i = 0; i < 3; i++) assert.isUndefined(yield* refusedFor("a"))
      assert.strictEqual(yield* refusedFor("a"), 60_000)
      assert.isUndefined(yield* refusedFor("b"))
    }).pipe(Effect.provide(test))
  )

  it.effect("keeps its promise after many other clients have come and gone", () =>
    Effect.gen(function* () {
      for (let i = 0; i < 3_000; i++) yield* refusedFor(`gone-${i}`)
      yield* TestClock.adjust("59 seconds")
      for (let i = 0; i < 3; i++) yield* refusedFor("a")
      yield* TestClock.adjust("2 seconds")
      for (let i = 0; i < 3_000; i++) yield* refusedFor(`new-${i}`)
      assert.strictEqual(yield* refusedFor("a"), 58_000)
      assert.isUndefined(yield* refusedFor("gone-0"))
    }).pipe(Effect.provide(test))
  )

  it.effect("divides windows that do not come out even", () =>
    Effect.gen(function* () {
      for (let i = 0; i < 7; i++) assert.isUndefined(yield* refusedFor("a", 7))
      assert.strictEqual(yield* refusedFor("a", 7), 60_000)
    }).pipe(Effect.provide(test))
  )
})
