/** One process of a service, started by its command. */
import { Duration, Effect, Schedule, Stream } from "effect"
import { ChildProcess } from "effect/process"
import * as Ports from "../../src/devnet/Ports.ts"
import { failed } from "./Report.ts"
import type { Shell } from "./Shell.ts"

export type Service = "orchestrator" | "builder-backend"

export interface Replica {
  readonly url: string
  /** SIGKILL. Done when the process is gone. */
  readonly kill: Effect.Effect<void>
  /** SIGTERM. Succeeds with the milliseconds until the process is gone. */
  readonly stop: Effect.Effect<number, { readonly message: string }>
}

/** Ends a run that hangs. Four processes of a busy machine may take a minute. */
const START_LIMIT = "180 seconds"

/** A stopping service answers for a second more, and ends within ten. */
const STOP_LIMIT = "15 seconds"

/** Lines that are remembered of each process. */
const REMEMBERED = 20

/** Runs the command in "$@", and kills it when the other end of standard input is gone, which is this process. */
const SUPERVISED = `exec 3<&0 </dev/null; { read -r _; kill -KILL $$; } <&3 3<&- >/dev/null 2>&1 & exec "$@" 3<&-`

const isReady = (url: string) =>
  Effect.promise(() =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false
    )
  )

/** Warnings and errors that processes said last. */
export const complaints: Array<string> = []

const isComplaint = (line: string) => /"level":"(WARN|ERROR|FATAL)"/i.test(line)

const remember = (list: Array<string>, line: string) => {
  list.push(line)
  if (list.length > REMEMBERED) list.shift()
}

/** Starts a process in the shell's folder, and waits until it is ready. It ends with the scope. */
export const start = Effect.fnUntraced(function* ({ environment, folder }: Shell, service: Service) {
  const port = yield* Ports.free
  const url = `http://127.0.0.1:${port}`
  const handle = yield* ChildProcess.make("/bin/sh", ["-c", SUPERVISED, service, "sweep", service], {
    cwd: folder,
    stdin: "pipe",
    extendEnv: false,
    killSignal: "SIGKILL",
    env: { ...environment, ORCHESTRATOR_PORT: String(port), BUILDER_PORT: String(port) }
  })
  const lines: Array<string> = []
  yield* handle.all.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.runForEach((line) =>
      Effect.sync(() => {
        remember(lines, line)
        if (isComplaint(line)) remember(complaints, `${service} ${line}`)
      })
    ),
    Effect.ignore,
    Effect.forkScoped
  )
  const exit = Effect.option(handle.exitCode)
  const ready = isReady(url).pipe(
    Effect.repeat({ schedule: Schedule.spaced("100 millis"), until: (ready) => ready }),
    Effect.timeoutOrElse({
      duration: START_LIMIT,
      orElse: () => Effect.fail(failed(`the ${service} was not ready within ${START_LIMIT}:\n${lines.join("\n")}`))
    })
  )
  const ended = Effect.andThen(
    exit,
    Effect.suspend(() => Effect.fail(failed(`the ${service} ended:\n${lines.join("\n")}`)))
  )
  yield* Effect.raceFirst(ready, ended)
  const signal = (name: NodeJS.Signals) => Effect.ignore(Effect.try(() => process.kill(Number(handle.pid), name)))
  return {
    url,
    kill: Effect.asVoid(Effect.andThen(signal("SIGKILL"), exit)),
    stop: Effect.andThen(signal("SIGTERM"), exit).pipe(
      Effect.timeoutOrElse({
        duration: STOP_LIMIT,
        orElse: () => Effect.fail(failed(`the ${service} did not stop within ${STOP_LIMIT}`))
      }),
      Effect.timed,
      Effect.map(([took]) => Math.round(Duration.toMillis(took)))
    )
  } satisfies Replica
})
