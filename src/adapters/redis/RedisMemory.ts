/**
 * {@link SharedMemory} in Redis or Valkey, in the server's time. Effect's persistence for Redis does not tell how long a value still
 * counts, so a replica that keeps it for the whole time again would double it.
 */
import { Effect, Layer, Option, type Redacted, Schema } from "effect"
import { SharedMemory, SharedMemoryUnavailable } from "../../ports/shared/SharedMemory.ts"
import * as RedisConnection from "./RedisConnection.ts"

/** Separates the keys from those of other programs. Deployments that share a server need databases of their own. */
const PREFIX = "token-sweep:memory:"

/** Value and remaining time at one moment. A key without an end, which only another program can make, does not count. */
const SCRIPT = `local value = redis.call("GET", KEYS[1])
local left = redis.call("PTTL", KEYS[1])
if not value or left < 1 then return {} end
return { value, left }`

const Told = Schema.Union([Schema.Tuple([Schema.String, Schema.Int]), Schema.Tuple([])])

const unavailable = ({ detail }: RedisConnection.RedisFailed) => new SharedMemoryUnavailable({ detail })

/** `url` is `redis://user:password@host:port/database`, or `rediss://…` for TLS. */
export const layer = (url: Redacted.Redacted): Layer.Layer<SharedMemory> =>
  Layer.effect(
    SharedMemory,
    Effect.map(RedisConnection.make(url), ({ send }) =>
      SharedMemory.of({
        recall: (key) =>
          send(Told, "EVAL", [SCRIPT, "1", PREFIX + key]).pipe(
            Effect.map(([value, remainingMillis]) =>
              value === undefined || remainingMillis === undefined
                ? Option.none()
                : Option.some({ value, remainingMillis })
            ),
            Effect.mapError(unavailable)
          ),
        remember: (key, value, lifetimeMillis) =>
          Effect.mapError(
            send(Schema.Literal("OK"), "SET", [PREFIX + key, value, "PX", String(lifetimeMillis)]),
            unavailable
          )
      })
    )
  )
