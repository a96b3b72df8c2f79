/**
 * The store that replicas share: a real Redis or Valkey where one is installed, or else a stand-in that speaks the protocol. With
 * `TEST_REDIS=required` it must be a real one.
 */
import { Config, Effect, Exit, Scope } from "effect"
import type { ChildProcessSpawner } from "effect/process"
import * as Ports from "../../src/devnet/Ports.ts"
import * as Redis from "../../src/devnet/Redis.ts"
import * as RespServer from "../adapters/redis/RespServer.ts"

export interface SharedStore {
  readonly url: string
  /** Ends it, and all connections to it. */
  readonly stop: Effect.Effect<void>
  /** Starts it again on the same port. */
  readonly restart: Effect.Effect<void>
}

const real = Effect.fnUntraced(function* (program: string) {
  const port = yield* Ports.free
  const outer = yield* Scope.Scope
  const services = yield* Effect.context<ChildProcessSpawner.ChildProcessSpawner>()
  let inner = yield* Scope.fork(outer)
  const restart = Effect.gen(function* () {
    inner = yield* Scope.fork(outer)
    yield* Effect.orDie(Redis.start(program, port)).pipe(Scope.provide(inner), Effect.provideContext(services))
  })
  yield* restart
  return {
    url: `redis://127.0.0.1:${port}/0`,
    stop: Effect.suspend(() => Scope.close(inner, Exit.void)),
    restart
  } satisfies SharedStore
})

/** Lasts until the scope closes. */
export const start = Effect.gen(function* () {
  const program = Redis.program()
  if (program !== undefined) return yield* real(program)
  const wanted = yield* Config.withDefault(Config.String("TEST_REDIS"), "any")
  if (wanted === "required") return yield* Effect.die("neither redis-server nor valkey-server is installed")
  const { restart, stop, url } = yield* RespServer.start
  return { url, stop, restart } satisfies SharedStore
})
