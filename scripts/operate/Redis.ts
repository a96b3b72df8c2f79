/** A Redis or Valkey of the drill, which can be killed and started again at the same URL. */
import { Effect, Option, type Scope } from "effect"
import type { ChildProcessSpawner } from "effect/process"
import * as Ports from "../../src/devnet/Ports.ts"
import * as Subprocess from "../../src/devnet/Subprocess.ts"
import * as Tools from "./Tools.ts"

const SERVERS = ["redis-server", "valkey-server"]

export interface Redis {
  readonly command: string
  readonly url: string
  /** SIGKILL. */
  readonly kill: Effect.Effect<void>
  readonly startAgain: Effect.Effect<void, Subprocess.SubprocessFailed>
}

/** Starts the server. Undefined if none is installed. */
export const start = Effect.gen(function* () {
  const command = yield* Tools.installed(SERVERS)
  if (command === undefined) return undefined
  const services = yield* Effect.context<Scope.Scope | ChildProcessSpawner.ChildProcessSpawner>()
  const port = yield* Ports.free
  const run = Subprocess.start({
    name: command,
    command,
    args: ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
    ready: (line) => (line.includes("Ready to accept connections") ? Option.some(port) : Option.none())
  }).pipe(Effect.provide(services))
  let { pid } = yield* run
  return {
    command,
    url: `redis://127.0.0.1:${port}`,
    kill: Effect.sync(() => process.kill(-pid, "SIGKILL")),
    startAgain: Effect.map(run, (running) => {
      pid = running.pid
    })
  } satisfies Redis
})
