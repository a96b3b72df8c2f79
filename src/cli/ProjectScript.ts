/** Programs of the checkout that the services do not contain, such as benchmarks and chaos runs: run by name, in Bun. */
import { Effect, FileSystem, Path } from "effect"
import { ChildProcess } from "effect/process"
import { bunExecutable, projectRoot } from "./Project.ts"
import { UsageError } from "./UsageError.ts"

/** Fails where the program is not there, as in the image. */
export const present = Effect.fnUntraced(function* (script: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  if (yield* fs.exists(path.join(projectRoot, script))) return
  return yield* new UsageError({
    detail: `this installation does not contain ${script}. Run the command in a checkout of the sources`
  })
})

/** Runs a script of the project to its end, speaking through this process's streams; succeeds with its exit code. */
export const run = Effect.fnUntraced(function* (script: string, args: ReadonlyArray<string>) {
  yield* present(script)
  const handle = yield* ChildProcess.make(bunExecutable, [script, ...args], {
    cwd: projectRoot,
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
    extendEnv: true
  })
  return yield* handle.exitCode
}, Effect.scoped)
