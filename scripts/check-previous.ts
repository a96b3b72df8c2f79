/**
 * Runs the program of the release before on the schema of this one, as in a rolling upgrade: `./sweep test previous [--from REF]`. The
 * release before is the newest tag, or the commit below while there is none. It needs the history of the repository, which the gate
 * does not, so the gate does not run it.
 */
import { tmpdir } from "node:os"
import { parseArgs } from "node:util"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import { Console, Effect, FileSystem, Logger, Path, Schema, Stream } from "effect"
import { ChildProcess } from "effect/process"

/** State of the service before its first tag. */
const RECORDED = "af402f84"

const TEST = "test/faults/Rolling.test.ts"

const root = new URL("..", import.meta.url).pathname

class NotChecked extends Schema.TaggedError<NotChecked>()("NotChecked", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

const git = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const handle = yield* ChildProcess.make("git", args, {
    cwd: root,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore"
  })
  return Number(yield* handle.exitCode)
}, Effect.scoped)

/** Runs a program to its end, speaking through this process's streams. */
const run = Effect.fnUntraced(function* (
  cwd: string,
  [command, ...args]: readonly [string, ...ReadonlyArray<string>],
  env: Readonly<Record<string, string>> = {}
) {
  const handle = yield* ChildProcess.make(command, args, {
    cwd,
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
    extendEnv: true,
    env
  })
  const code = Number(yield* handle.exitCode)
  if (code !== 0)
    return yield* new NotChecked({ detail: `${command} ${args.join(" ")} failed with ${code}, see above` })
}, Effect.scoped)

const newestTag = Effect.gen(function* () {
  const listed = yield* ChildProcess.make("git", ["tag", "--sort=-creatordate"], { cwd: root, stdin: "ignore" })
  const tags = yield* listed.stdout.pipe(Stream.decodeText(), Stream.mkString)
  return tags.split("\n").find((tag) => tag !== "")
}).pipe(Effect.scoped)

/** Writes the sources of a commit into a directory, with the packages that they need. */
const unpack = Effect.fnUntraced(function* (ref: string, directory: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  if ((yield* git(["cat-file", "-e", `${ref}^{commit}`])) !== 0) {
    return yield* new NotChecked({
      detail: `this clone does not have ${ref}. Fetch the history: git fetch --tags --unshallow, or name another release: --from REF`
    })
  }
  const archive = path.join(directory, "sources.tar")
  yield* run(root, ["git", "archive", "--output", archive, ref])
  yield* run(directory, ["tar", "-xf", archive])
  const [now, then] = yield* Effect.forEach([root, directory], (each) => fs.readFileString(path.join(each, "bun.lock")))
  if (now === then) yield* fs.symlink(path.join(root, "node_modules"), path.join(directory, "node_modules"))
  else yield* run(directory, [process.execPath, "install", "--frozen-lockfile"])
  return path.join(directory, "src/main.ts")
})

const main = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const { values } = parseArgs({ options: { from: { type: "string" } } })
  const ref = values.from ?? (yield* newestTag) ?? RECORDED
  const directory = yield* fs.makeTempDirectoryScoped({ directory: tmpdir(), prefix: "sweep-previous-" })
  const previous = yield* unpack(ref, directory)
  yield* Console.log(`The program of ${ref} runs on the schema of this checkout.`)
  yield* run(root, [process.execPath, "--bun", "node_modules/.bin/vitest", "run", TEST], {
    SWEEP_PREVIOUS_PROGRAM: previous
  })
  yield* Console.log(`${ref} quotes, accepts and delivers on the schema of this checkout.`)
}).pipe(Effect.scoped)

main.pipe(
  Effect.tapError(({ message }) => Console.error(`previous: ${message}`)),
  Effect.provide([BunServices.layer, Logger.layer([])]),
  BunRuntime.runMain({ disableErrorReporting: true })
)
