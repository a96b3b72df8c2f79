/** Child processes of the local network. They end with the scope, and with this process even if it is killed. */
import { Deferred, Effect, Option, Schema, type Scope, Stream } from "effect"
import { ChildProcess, type ChildProcessSpawner } from "effect/process"

export class SubprocessFailed extends Schema.TaggedError<SubprocessFailed>()("SubprocessFailed", {
  command: Schema.String,
  /** The last lines of the process's output. */
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.command}: ${this.detail}`
  }
}

/** Timeouts of the start and of the stop of a server. */
const START_TIMEOUT = "30 seconds"
const STOP_TIMEOUT = "10 seconds"
const REMEMBERED_LINES = 20

/**
 * Runs the command in "$@" and stops it (SIGINT: PostgreSQL's "fast" shutdown) when standard input ends. This process holds
 * the other end of standard input, so the server stops even if this process is killed by SIGKILL.
 */
const SUPERVISOR = `
exec 3<&0 </dev/null
"$@" 3<&- &
child=$!
{ read -r _; kill -INT "$child"; } <&3 3<&- 2>/dev/null &
lifeline=$!
exec 3<&-
trap : INT TERM HUP
while kill -0 "$child" 2>/dev/null; do wait "$child"; status=$?; done
kill "$lifeline" 2>/dev/null
wait "$lifeline"
exit "$status"
`

export interface Running<A> {
  /** The value that `ready` read from the line that announced readiness. */
  readonly ready: A
  /** Leader of the process group that holds the server. */
  readonly pid: number
  /** Waits until the server exits on its own, which is always a failure. */
  readonly exited: Effect.Effect<SubprocessFailed>
}

/**
 * Starts a server and waits until `ready` accepts a line of its output. The server stops when the scope closes.
 * Fails with the last lines of the output if the server exits before it is ready, or is not ready within 30 seconds.
 */
export const start = Effect.fn("Subprocess.start")(function* <A>(options: {
  readonly name: string
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env?: Record<string, string>
  readonly ready: (line: string) => Option.Option<A>
}): Effect.fn.Return<Running<A>, SubprocessFailed, Scope.Scope | ChildProcessSpawner.ChildProcessSpawner> {
  const failed = (detail: string) => new SubprocessFailed({ command: options.name, detail })
  const handle = yield* ChildProcess.make(
    "/bin/sh",
    ["-c", SUPERVISOR, options.name, options.command, ...options.args],
    {
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
      killSignal: "SIGINT",
      forceKillAfter: STOP_TIMEOUT,
      extendEnv: true,
      ...(options.env === undefined ? {} : { env: options.env })
    }
  ).pipe(Effect.mapError((error) => failed(error.message)))

  const ready = yield* Deferred.make<A, SubprocessFailed>()
  const exited = yield* Deferred.make<SubprocessFailed>()
  let last: ReadonlyArray<string> = []
  yield* handle.all.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.runForEach((line) => {
      last = [...last, line].slice(-REMEMBERED_LINES)
      return Option.match(options.ready(line), {
        onNone: () => Effect.void,
        onSome: (value) => Deferred.succeed(ready, value)
      })
    }),
    Effect.ensuring(
      Effect.suspend(() => {
        const error = failed(last.length === 0 ? "ended without a word" : `ended: ${last.join("\n")}`)
        return Effect.andThen(Deferred.fail(ready, error), Deferred.succeed(exited, error))
      })
    ),
    Effect.ignore,
    Effect.forkScoped
  )

  return {
    ready: yield* Deferred.await(ready).pipe(
      Effect.timeoutOrElse({
        duration: START_TIMEOUT,
        orElse: () => Effect.fail(failed(`not ready after ${START_TIMEOUT}: ${last.join("\n")}`))
      })
    ),
    pid: handle.pid,
    exited: Deferred.await(exited)
  }
})

/** Runs a command and returns its output. Fails with that output if the exit code is not zero. */
export const run = Effect.fn("Subprocess.run")(function* (
  command: string,
  args: ReadonlyArray<string>
): Effect.fn.Return<string, SubprocessFailed, ChildProcessSpawner.ChildProcessSpawner> {
  const failed = (detail: string) => new SubprocessFailed({ command, detail })
  return yield* Effect.gen(function* () {
    const handle = yield* ChildProcess.make(command, args, { stdin: "ignore", env: { LC_ALL: "C" }, extendEnv: true })
    const output = yield* handle.all.pipe(Stream.decodeText(), Stream.mkString)
    const code = yield* handle.exitCode
    return code === 0 ? output : yield* failed(`exit code ${code}: ${output.trim()}`)
  }).pipe(
    Effect.scoped,
    Effect.catchTag("PlatformError", (error) => Effect.fail(failed(error.message)))
  )
})
