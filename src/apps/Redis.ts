/** Lets replicas share counts of requests and answers of outside services in Redis. Without it, each replica is alone. */
import { Context, Effect, Layer, type Redacted } from "effect"
import * as RedisMemory from "../adapters/redis/RedisMemory.ts"
import * as RedisWindows from "../adapters/redis/RedisWindows.ts"
import { SharedMemory } from "../ports/shared/SharedMemory.ts"
import * as SharedAnswers from "../runtime/SharedAnswers.ts"
import * as SharedStoreReview from "../runtime/SharedStoreReview.ts"
import * as RateLimitStore from "../server/shared/RateLimitStore.ts"
import * as SharedRateLimits from "../server/shared/SharedRateLimits.ts"

type Url = Redacted.Redacted | undefined

/** The store in which requests are counted. */
export const rateLimits = (url: Url) =>
  url === undefined ? RateLimitStore.layerMemory : SharedRateLimits.layer.pipe(Layer.provide(RedisWindows.layer(url)))

/** Answers that replicas tell each other. */
export const answers = (url: Url) =>
  url === undefined
    ? Effect.succeed(SharedAnswers.alone)
    : Effect.map(Layer.build(RedisMemory.layer(url)), (context) =>
        SharedAnswers.make(Context.get(context, SharedMemory))
      )

/** The alert about a Redis that is away. */
export const review = (url: Url) =>
  url === undefined
    ? SharedStoreReview.layerUnconfigured
    : SharedStoreReview.layer.pipe(Layer.provide(RedisWindows.layer(url)))
