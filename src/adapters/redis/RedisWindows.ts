/**
 * Windows in Redis or Valkey. The windows are in the server's time, so the clocks of replicas do not matter.
 *
 * Effect's store for Redis extends a window with each request, so that a client can exceed the limit within one.
 */
import { Effect, Layer, type Redacted, Schema } from "effect"
import { SharedWindows, SharedWindowsUnavailable } from "../../ports/shared/SharedWindows.ts"
import * as RedisConnection from "./RedisConnection.ts"

/** Separates the keys from those of other programs. Deployments that share a server need databases of their own. */
const PREFIX = "token-sweep:window:"

/** One round trip, which Redis runs as a whole. A key without an end, which only another program can make, begins a window. */
const SCRIPT = `local left = redis.call("PTTL", KEYS[1])
local tokens, limit, window = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local count = tokens
if left >= 0 then count = count + tonumber(redis.call("GET", KEYS[1])) else left = window end
if count <= limit then
  if count == tokens then redis.call("SET", KEYS[1], count, "PX", window) else redis.call("INCRBY", KEYS[1], tokens) end
end
return { count, left }`

const Answer = Schema.Tuple([Schema.Int, Schema.Int])

/** `url` is `redis://user:password@host:port/database`, or `rediss://…` for TLS. */
export const layer = (url: Redacted.Redacted): Layer.Layer<SharedWindows> =>
  Layer.effect(
    SharedWindows,
    Effect.map(RedisConnection.make(url), ({ send }) =>
      SharedWindows.of({
        take: ({ key, limit, tokens, windowMillis }) =>
          send(Answer, "EVAL", [SCRIPT, "1", PREFIX + key, String(tokens), String(limit), String(windowMillis)]).pipe(
            Effect.map(([count, remainingMillis]) => ({ count, remainingMillis })),
            Effect.mapError(({ detail }) => new SharedWindowsUnavailable({ detail }))
          )
      })
    )
  )
