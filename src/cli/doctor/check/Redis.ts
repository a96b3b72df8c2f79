/** Counts once in Redis, and tells a value, as the services do. */
import { Clock, Context, Effect, Layer, Option, Redacted } from "effect"
import * as RedisMemory from "../../../adapters/redis/RedisMemory.ts"
import * as RedisWindows from "../../../adapters/redis/RedisWindows.ts"
import { common } from "../../../config/Common.ts"
import * as Judgement from "../../../domain/doctor/Redis.ts"
import { SharedMemory } from "../../../ports/shared/SharedMemory.ts"
import { SharedWindows } from "../../../ports/shared/SharedWindows.ts"
import { sentence } from "../../Problems.ts"
import { BOTH, type Check } from "../Check.ts"

const LIMIT = "3 seconds"

const hostOf = (url: Redacted.Redacted): string => URL.parse(Redacted.value(url))?.host ?? "REDIS_URL"

const asked = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const services = yield* Layer.build(Layer.merge(RedisWindows.layer(url), RedisMemory.layer(url)))
  const windows = Context.get(services, SharedWindows)
  const memory = Context.get(services, SharedMemory)
  const count = windows.take({ key: "doctor", tokens: 1, limit: 1, windowMillis: 1_000 })
  yield* memory.remember("doctor", "well", 1_000)
  yield* memory.recall("doctor")
  // The first answer includes the connection.
  yield* count
  const start = yield* Clock.currentTimeNanos
  yield* count
  return Number((yield* Clock.currentTimeNanos) - start) / 1e6
}, Effect.scoped)

export const redis: Check = {
  name: "redis",
  services: BOTH,
  findings: () =>
    Effect.gen(function* () {
      const url = yield* Effect.mapError(common.redisUrl.config, (error) => ({ message: sentence(error) }))
      if (Option.isNone(url)) return []
      const answer = yield* asked(url.value).pipe(
        Effect.timeoutOrElse({ duration: LIMIT, orElse: () => Effect.succeed(`no answer within ${LIMIT}`) }),
        Effect.catch(({ message }) => Effect.succeed(message))
      )
      return [Judgement.judge({ host: hostOf(url.value), answer })]
    })
}
