/** Programs of the checkout that the services do not contain, such as benchmarks and chaos runs: run by name, in Bun. */
import { Effect } from "effect"
import { ChildProcess } from "effect/process"
import { bunExecutable, projectRoot } from "./Project.ts"

/** Runs a script of the project to its end, speaking through this process's streams; succeeds with its exit code. */
export const run = (script: string, args: ReadonlyArray<string>) =>
  ChildProcess.make(bunExecutable, [script, ...args], {
    cwd: projectRoot,
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
    extendEnv: true
  }).pipe(
    Effect.flatMap(({ exitCode }) => exitCode),
    Effect.scoped
  )
