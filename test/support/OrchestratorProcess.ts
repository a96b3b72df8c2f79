/** A service as its own process, as in production: what a test does to it, a machine can do to it. */
import { Effect, Option, Redacted, Schedule, Schema, type Scope, Stream } from "effect"
import { ChildProcess, type ChildProcessSpawner } from "effect/process"
import type { Hex } from "viem"
import { program } from "./Program.ts"

export class ProcessFailed extends Schema.TaggedError<ProcessFailed>()("ProcessFailed", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

export interface Options {
  /** Service to run. Default: `orchestrator`. */
  readonly command?: "orchestrator" | "builder-backend"
  readonly port: number
  readonly chainsFile: string
  readonly databaseUrl: string
  readonly relayerKeys: ReadonlyArray<Hex>
  /** Absolute path of the program for Bun. Default: this release's. */
  readonly program?: string
  /** Arguments of the command. Default: none. */
  readonly args?: ReadonlyArray<string>
  /** More settings, by their names in the environment. */
  readonly env?: Readonly<Record<string, string>>
}

export interface OrchestratorProcess {
  readonly url: string
  /** Everything that it logged, one line each. */
  readonly output: Effect.Effect<ReadonlyArray<string>>
  /** SIGKILL; done when the process is gone. */
  readonly kill: Effect.Effect<void>
  readonly signal: (signal: "SIGTERM" | "SIGSTOP" | "SIGCONT") => Effect.Effect<void>
  /** Waits for its end; none where a signal ended it. */
  readonly exitCode: Effect.Effect<Option.Option<number>>
}

export const ADMIN_TOKEN = "operator"

/**
 * Becomes the command in "$@", beside a process that kills it when standard input ends. Its other end is held by the test
 * runner, so not even SIGKILL for that one leaves a service behind.
 */
const SUPERVISED = `exec 3<&0 </dev/null; { read -r _; kill -KILL $$; } <&3 3<&- >/dev/null 2>&1 & exec "$@" 3<&-`

const START_TIMEOUT = "60 seconds"

/** Fast enough that tests need not wait, and that crashes hit work in progress. */
const SETTINGS = {
  ACROSS_FIXED_FEE_BPS: "10",
  DRAIN_SECONDS: "0",
  HOST: "127.0.0.1",
  LOG_FORMAT: "json",
  ORCH_ADMIN_TOKEN: ADMIN_TOKEN,
  RATE_LIMIT: "1000000",
  RELAYER_POLL_MILLIS: "200",
  WATCHER_POLL_MILLIS: "200"
}

const sendSignal = (pid: number, signal: NodeJS.Signals): Effect.Effect<void> =>
  Effect.ignore(Effect.try(() => process.kill(pid, signal)))

/** Runs `sweep orchestrator`, or the other service, until it is stopped or the scope closes; returns once it answers. */
export const start = Effect.fn("OrchestratorProcess.start")(function* (
  options: Options
): Effect.fn.Return<OrchestratorProcess, ProcessFailed, Scope.Scope | ChildProcessSpawner.ChildProcessSpawner> {
  const main = options.program ?? (yield* Effect.promise(program))
  const handle = yield* ChildProcess.make(
    "/bin/sh",
    [
      "-c",
      SUPERVISED,
      "orchestrator",
      process.execPath,
      main,
      options.command ?? "orchestrator",
      ...(options.args ?? [])
    ],
    {
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
      extendEnv: true,
      killSignal: "SIGKILL",
      env: {
        ...SETTINGS,
        BUILDER_PORT: String(options.port),
        CHAINS_FILE: options.chainsFile,
        DATABASE_URL: options.databaseUrl,
        ORCHESTRATOR_PORT: String(options.port),
        RELAYER_KEYS: Redacted.make(options.relayerKeys.join(",")),
        ...options.env
      }
    }
  ).pipe(Effect.mapError((error) => new ProcessFailed({ detail: error.message })))

  // Mutable: a process that lives for hours says a hundred thousand lines.
  const lines: Array<string> = []
  yield* handle.all.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.runForEach((line) => Effect.sync(() => void lines.push(line))),
    Effect.ignore,
    Effect.forkScoped
  )
  const exitCode = Effect.option(handle.exitCode)

  const url = `http://127.0.0.1:${options.port}`
  const failed = (what: string) =>
    Effect.suspend(() => {
      const said = lines.slice(-20).join("\n")
      return Effect.fail(new ProcessFailed({ detail: `the ${options.command ?? "orchestrator"} ${what}:\n${said}` }))
    })
  const isWell = Effect.promise(() =>
    fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false
    )
  )
  const answers = isWell.pipe(
    Effect.repeat({ schedule: Schedule.spaced("20 millis"), until: (well) => well }),
    Effect.timeoutOrElse({ duration: START_TIMEOUT, orElse: () => failed("does not answer") })
  )
  yield* Effect.raceFirst(
    Effect.asVoid(answers),
    Effect.andThen(exitCode, () => failed("ended"))
  )

  return {
    url,
    output: Effect.sync(() => lines.slice()),
    kill: Effect.andThen(sendSignal(handle.pid, "SIGKILL"), exitCode).pipe(Effect.asVoid),
    signal: (signal) => sendSignal(handle.pid, signal),
    exitCode: Effect.map(exitCode, Option.map(Number))
  }
})
