/**
 * Runs the tests of replicas that share a Redis on a real one: `./sweep test redis`. The full gate runs them too, on a stand-in where
 * neither Redis nor Valkey is installed.
 */
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import { Console, Effect, Logger, Stream } from "effect"
import { ChildProcess } from "effect/process"
import * as Redis from "../src/devnet/Redis.ts"
import * as TestRows from "./TestRows.ts"

const TESTS = ["test/adapters/redis", "test/faults/SharedLimits.test.ts"]

/** Version by the program itself, such as `Redis server v=7.0.15 …`. */
const versionOf = Effect.fnUntraced(function* (program: string) {
  const handle = yield* ChildProcess.make(program, ["--version"], { stdin: "ignore" })
  const said = yield* handle.stdout.pipe(Stream.decodeText(), Stream.mkString)
  return `${said.split(" ")[0]} ${/v=(\S+)/.exec(said)?.[1] ?? ""}`.trim()
}, Effect.scoped)

const main = Effect.gen(function* () {
  const program = Redis.program()
  if (program === undefined) {
    return yield* new TestRows.NotTried({
      detail:
        "neither redis-server nor valkey-server is installed. Install Redis 7 or Valkey, as Debian's package redis-server"
    })
  }
  yield* TestRows.judged([yield* TestRows.row(yield* versionOf(program), TESTS, { TEST_REDIS: "required" })])
})

main.pipe(
  Effect.tapError(({ message }) => Console.error(`redis: ${message}`)),
  Effect.provide([BunServices.layer, Logger.layer([])]),
  BunRuntime.runMain({ disableErrorReporting: true })
)
