/** Windows in Redis: the program that is installed, or a stand-in, see `SharedStore`. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Redacted, Schedule } from "effect"
import { TestClock } from "effect/testing"
import * as RedisWindows from "../../../src/adapters/redis/RedisWindows.ts"
import { SharedWindows } from "../../../src/ports/shared/SharedWindows.ts"
import { specify } from "../../ports/shared/SharedWindows.suite.ts"
import * as SharedStore from "../../support/SharedStore.ts"
import * as RespServer from "./RespServer.ts"

const replicaAt = (url: string) =>
  Effect.map(Layer.build(RedisWindows.layer(Redacted.make(url))), Context.get(SharedWindows))

const store = Effect.map(SharedStore.start, ({ url }) => replicaAt(url)).pipe(Effect.provide(BunServices.layer))

specify("RedisWindows", store)

describe("a connection to Redis", () => {
  /** The count, or the reason of a failure. */
  const asked = (windows: SharedWindows["Service"]) =>
    windows
      .take({ key: "a", tokens: 1, limit: 9, windowMillis: 60_000 })
      .pipe(
        Effect.match({ onFailure: ({ detail }) => detail, onSuccess: ({ count }) => count }),
        Effect.timeout("20 seconds")
      )

  it.live("is one for all requests, and another one after the server was away", () =>
    Effect.gen(function* () {
      const redis = yield* RespServer.start
      const windows = yield* replicaAt(redis.url)
      assert.deepStrictEqual(yield* Effect.all([asked(windows), asked(windows)], { concurrency: 2 }), [1, 2])
      assert.strictEqual(redis.connections(), 1)
      yield* redis.stop
      assert.isString(yield* asked(windows))
      assert.isString(yield* asked(windows))
      yield* redis.restart
      assert.strictEqual(yield* asked(windows), 3)
    })
  )

  it.live("stays open for the others when one leaves before its answer", () =>
    Effect.gen(function* () {
      const redis = yield* RespServer.start
      const windows = yield* replicaAt(redis.url)
      yield* asked(windows)
      redis.behave("holds")
      const [leaving, staying] = [yield* Effect.forkChild(asked(windows)), yield* Effect.forkChild(asked(windows))]
      yield* Effect.yieldNow.pipe(
        Effect.repeat({ until: () => redis.held() === 2, schedule: Schedule.spaced("1 millis") }),
        Effect.timeout("20 seconds")
      )
      yield* Fiber.interrupt(leaving)
      redis.behave("answers")
      assert.strictEqual(yield* Fiber.join(staying), 3)
      assert.strictEqual(yield* asked(windows), 4)
      assert.strictEqual(redis.connections(), 1)
    })
  )

  it.effect("is left when it does not answer in time, also if nobody waits for the answer any more", () =>
    Effect.gen(function* () {
      const redis = yield* RespServer.start
      const windows = yield* replicaAt(redis.url)
      yield* asked(windows)
      redis.behave("silent")
      const staying = yield* Effect.forkChild(asked(windows))
      yield* Effect.yieldNow
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* Fiber.join(staying), "no answer within 2000 ms")
      const leaving = yield* Effect.forkChild(asked(windows))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(leaving)
      yield* TestClock.adjust("2 seconds")
      redis.behave("answers")
      assert.strictEqual(yield* asked(windows), 2)
      assert.strictEqual(redis.connections(), 3)
    })
  )

  for (const mood of ["refuses", "nonsense"] as const) {
    it.live(`fails if the server ${mood === "refuses" ? "refuses" : "answers something else"}`, () =>
      Effect.gen(function* () {
        const redis = yield* RespServer.start
        const windows = yield* replicaAt(redis.url)
        redis.behave(mood)
        assert.isString(yield* asked(windows))
        redis.behave("answers")
        assert.strictEqual(yield* asked(windows), 1)
      })
    )
  }
})
