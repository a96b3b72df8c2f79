/** The signals of a server that stops. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Duration, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { EndOfStreams, Stopping } from "../../../src/server/shared/Stopping.ts"

describe("a server that stops", () => {
  it.effect("is not ready from the start of the drain, and ends its streams after it", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.build(Layer.provideMerge(Stopping.signal("5 seconds"), Stopping.layer)).pipe(
        Scope.provide(scope)
      )
      const seen = Effect.all([
        Stopping.hasBegun.pipe(Effect.provide(context)),
        Deferred.isDone(Context.get(context, EndOfStreams))
      ])
      assert.deepStrictEqual(yield* seen, [false, false])
      const stop = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      assert.deepStrictEqual(yield* seen, [true, false])
      yield* TestClock.adjust(Duration.millis(4_999))
      assert.deepStrictEqual(yield* seen, [true, false])
      yield* TestClock.adjust(Duration.millis(1))
      assert.deepStrictEqual(yield* seen, [true, true])
      yield* Fiber.join(stop)
    })
  )
})
