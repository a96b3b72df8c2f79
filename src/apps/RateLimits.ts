/** The choice of the store in which requests are counted. */
import { Layer, type Redacted } from "effect"
import * as RedisWindows from "../adapters/redis/RedisWindows.ts"
import * as RateLimitStore from "../server/shared/RateLimitStore.ts"
import * as SharedRateLimits from "../server/shared/SharedRateLimits.ts"

/** Default: each process counts its own requests. */
export const layer = (redisUrl: Redacted.Redacted | undefined) =>
  redisUrl === undefined
    ? RateLimitStore.layerMemory
    : SharedRateLimits.layer.pipe(Layer.provide(RedisWindows.layer(redisUrl)))
