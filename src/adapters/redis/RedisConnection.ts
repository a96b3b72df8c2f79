/**
 * A connection to Redis or Valkey by Bun's client.
 *
 * Effect's layer for Bun keeps one client, which gives up after its last attempt to reconnect. Here a connection that failed, or
 * did not answer in time, is closed, and the next request opens another one. All requests share the connection, so a caller that leaves
 * must not close it: a command runs to its end without its caller.
 */
import { RedisClient } from "bun"
import { Effect, Exit, Fiber, Redacted, Schema, type Scope } from "effect"

/** The server cannot be reached, refused the command, or answered something else. */
export class RedisFailed extends Schema.TaggedError<RedisFailed>()("RedisFailed", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

const CONNECT_TIMEOUT_MILLIS = 1_000

/** Time of a command with its answer, and with the connection that it may have to open. Callers may leave earlier. */
const ANSWER_TIMEOUT_MILLIS = 2_000

const failed = (cause: unknown) => new RedisFailed({ detail: cause instanceof Error ? cause.message : String(cause) })

const silent = () => Effect.fail(new RedisFailed({ detail: `no answer within ${ANSWER_TIMEOUT_MILLIS} ms` }))

export interface RedisConnection {
  /** Sends a command, and reads its answer. Fails after 2 seconds without one. An interruption does not take the command back. */
  readonly send: <A>(
    answer: Schema.Codec<A, unknown>,
    command: string,
    args: ReadonlyArray<string>
  ) => Effect.Effect<A, RedisFailed>
}

/** `url` is `redis://user:password@host:port/database`, or `rediss://…` for TLS. It connects with the first command. */
export const make = (url: Redacted.Redacted): Effect.Effect<RedisConnection, never, Scope.Scope> =>
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
    const scope = yield* Effect.scope

    const answered = (command: string, args: ReadonlyArray<string>) =>
      Effect.suspend(() => {
        const client = connected()
        return Effect.tryPromise({ try: () => client.send(command, [...args]), catch: failed }).pipe(
          Effect.timeoutOrElse({ duration: ANSWER_TIMEOUT_MILLIS, orElse: silent }),
          Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : drop(client)))
        )
      })

    return {
      send: (answer, command, args) =>
        answered(command, args).pipe(
          Effect.forkIn(scope, { startImmediately: true }),
          Effect.flatMap(Fiber.join),
          // A strange value is no fault of the connection, on which others wait for their answers.
          Effect.flatMap((received) => Effect.mapError(Schema.decodeUnknownEffect(answer)(received), failed))
        )
    } satisfies RedisConnection
  })
