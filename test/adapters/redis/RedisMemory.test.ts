/** The shared memory in Redis: the program that is installed, or a stand-in, see `SharedStore`. */
import { assert, describe, it } from "@effect/vitest"
import * as BunServices from "@effect/platform-bun/BunServices"
import { Context, Effect, Layer, Option, Redacted, Schedule } from "effect"
import * as RedisMemory from "../../../src/adapters/redis/RedisMemory.ts"
import { SharedMemory } from "../../../src/ports/shared/SharedMemory.ts"
import * as SharedStore from "../../support/SharedStore.ts"
import * as RespServer from "./RespServer.ts"

const replicaAt = (url: string) =>
  Effect.map(Layer.build(RedisMemory.layer(Redacted.make(url))), Context.get(SharedMemory))

const urlOfStore = Effect.map(SharedStore.start, ({ url }) => url).pipe(Effect.provide(BunServices.layer))

const run = crypto.randomUUID()
const MINUTE = 60_000

describe("RedisMemory", () => {
  it.live("recalls on another replica what one was told, with the time for which it still counts", () =>
    Effect.gen(function* () {
      const url = yield* urlOfStore
      const [a, b] = [yield* replicaAt(url), yield* replicaAt(url)]
      const key = `${run}:told`
      assert.deepStrictEqual(yield* b.recall(key), Option.none())
      yield* a.remember(key, '{"danger":"trap","reasons":["é 👩"]}', MINUTE)
      const { remainingMillis, value } = Option.getOrThrow(yield* b.recall(key))
      assert.strictEqual(value, '{"danger":"trap","reasons":["é 👩"]}')
      assert.isAbove(remainingMillis, MINUTE - 5_000)
      assert.isAtMost(remainingMillis, MINUTE + 1)
      yield* b.remember(key, "{}", MINUTE)
      assert.strictEqual(Option.getOrThrow(yield* a.recall(key)).value, "{}")
    })
  )

  it.live("forgets at the end of the time", () =>
    Effect.gen(function* () {
      const memory = yield* replicaAt(yield* urlOfStore)
      const key = `${run}:end`
      // A busy machine must ask within it.
      yield* memory.remember(key, "x", 2_000)
      assert.isTrue(Option.isSome(yield* memory.recall(key)))
      yield* Effect.repeat(memory.recall(key), { schedule: Schedule.spaced("20 millis"), until: Option.isNone })
    }).pipe(Effect.timeout("20 seconds"))
  )

  it.live("keeps the connection, on which others wait, after a strange value", () =>
    Effect.gen(function* () {
      const redis = yield* RespServer.start
      const memory = yield* replicaAt(redis.url)
      yield* memory.remember("a", "b", MINUTE)
      redis.behave("nonsense")
      assert.strictEqual((yield* Effect.flip(memory.recall("a")))._tag, "SharedMemoryUnavailable")
      redis.behave("answers")
      assert.strictEqual(Option.getOrThrow(yield* memory.recall("a")).value, "b")
      assert.strictEqual(redis.connections(), 1)
    })
  )

  it.live("fails if the server refuses, or answers something else, and works after it", () =>
    Effect.gen(function* () {
      const redis = yield* RespServer.start
      const memory = yield* replicaAt(redis.url)
      for (const mood of ["refuses", "nonsense"] as const) {
        redis.behave(mood)
        assert.strictEqual((yield* Effect.flip(memory.recall("a")))._tag, "SharedMemoryUnavailable")
        assert.strictEqual((yield* Effect.flip(memory.remember("a", "b", MINUTE)))._tag, "SharedMemoryUnavailable")
        redis.behave("answers")
        yield* memory.remember("a", "b", MINUTE)
      }
    })
  )
})
