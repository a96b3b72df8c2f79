/** Runs the command line in its own process. */
import { Effect, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { program } from "../support/Program.ts"

export interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs Bun to its end with these arguments and settings. Settings of the test's own environment do not count. */
export const run = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  cwd?: string
) {
  const handle = yield* ChildProcess.make(process.execPath, args, {
    ...(cwd === undefined ? {} : { cwd }),
    stdin: "ignore",
    extendEnv: false,
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", NO_COLOR: "1", ...env }
  })
  const text = <E>(stream: Stream.Stream<Uint8Array, E>) => stream.pipe(Stream.decodeText(), Stream.mkString)
  const [out, err, code] = yield* Effect.all([text(handle.stdout), text(handle.stderr), handle.exitCode], {
    concurrency: "unbounded"
  })
  return { code, out, err } satisfies Outcome
}, Effect.scoped)

/** Runs `sweep` with arguments and settings until it exits. Default of `cwd`: that of the test. */
export const sweep = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}, cwd?: string) =>
  Effect.flatMap(Effect.promise(program), (main) => run([main, ...args], env, cwd))
