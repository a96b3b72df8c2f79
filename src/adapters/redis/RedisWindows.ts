/**
 * Windows in Redis or Valkey, by Bun's client. The windows are in the server's time, so the clocks of replicas do not matter.
 *
 * Effect's store for Redis extends a window with each request, so that a client can exceed the limit within one. Effect's
 * layer for Bun keeps one client, which gives up after its last attempt to reconnect. Here a connection that failed, or
 * whose answer nobody waits for any more, is closed, and the next request opens another one.
 */
import { RedisClient } from "bun"
import { Effect, Exit, Layer, Redacted, Schema } from "effect"
import { SharedWindows, SharedWindowsUnavailable } from "../../ports/shared/SharedWindows.ts"

/** Separates the keys from those of other programs. Deployments that share a server need databases of their own. */
const PREFIX = "token-sweep:window:"

const CONNECT_TIMEOUT_MILLIS = 1_000

/** One round trip, which Redis runs as a whole. A key without an end, which only another program can make, begins a window. */
const SCRIPT = `local left = redis.call("PTTL", KEYS[1])
local tokens, limit, window = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local count = tokens
if left >= 0 then count = count + tonumber(redis.call("GET", KEYS[1])) else left = window end
if count <= limit then
  if count == tokens then redis.call("SET", KEYS[1], count, "PX", window) else redis.call("INCRBY", KEYS[1], tokens) end
end
return { count, left }`

const decode = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Int, Schema.Int]))

const failed = (cause: unknown) =>
  new SharedWindowsUnavailable({ detail: cause instanceof Error ? cause.message : String(cause) })

/** `url` is `redis://user:password@host:port/database`, or `rediss://…` for TLS. */
export const layer = (url: Redacted.Redacted): Layer.Layer<SharedWindows> =>
  Layer.effect(
    SharedWindows,
    Effect.gen(function* () {
      let current: RedisClient | undefined

      const connected = () =>
        (current ??= new RedisClient(Redacted.value(url), {
          autoReconnect: false,
          connectionTimeout: CONNECT_TIMEOUT_MILLIS
        }))

      const drop = (client: RedisClient) =>
        Effect.sync(() => {
          if (current === client) current = undefined
          client.close()
        })

      yield* Effect.addFinalizer(() => Effect.suspend(() => (current === undefined ? Effect.void : drop(current))))

      return SharedWindows.of({
        take: ({ key, limit, tokens, windowMillis }) =>
          Effect.suspend(() => {
            const client = connected()
            return Effect.tryPromise({
              try: () =>
                client.send("EVAL", [SCRIPT, "1", PREFIX + key, String(tokens), String(limit), String(windowMillis)]),
              catch: failed
            }).pipe(
              Effect.flatMap((answer) => Effect.mapError(decode(answer), failed)),
              Effect.map(([count, remainingMillis]) => ({ count, remainingMillis })),
              Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : drop(client)))
            )
          })
      })
    })
  )
