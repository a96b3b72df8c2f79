/** The shell of an operator in an empty folder, with the commands of the checkout. */
import { Effect, FileSystem, Path, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { must } from "./Report.ts"

const root = new URL("../..", import.meta.url).pathname.replace(/\/$/, "")

/** A command may read every block since a restore. */
const COMMAND_LIMIT = "180 seconds"

/** Environment of commands and services: nothing of the caller's settings. */
const ENVIRONMENT = {
  HOME: process.env["HOME"] ?? "/",
  PATH: `${root}:${process.env["PATH"] ?? "/usr/bin:/bin"}`,
  NO_COLOR: "1"
}

/** Runs a script of commands in the folder, and waits for its end. */
const makeRun = (folder: string, environment: Readonly<Record<string, string>>) =>
  Effect.fnUntraced(
    function* (script: string, env: Readonly<Record<string, string>> = {}) {
      const handle = yield* ChildProcess.make("/bin/sh", ["-euc", script], {
        cwd: folder,
        stdin: "ignore",
        extendEnv: false,
        env: { ...environment, ...env }
      })
      const text = (stream: typeof handle.stdout) => stream.pipe(Stream.decodeText(), Stream.mkString)
      const [out, err, code] = yield* Effect.all([text(handle.stdout), text(handle.stderr), handle.exitCode], {
        concurrency: "unbounded"
      })
      return { out, err, code: Number(code) }
    },
    Effect.scoped,
    Effect.timeout(COMMAND_LIMIT)
  )

/** `extra` is added to the environment of all commands and services. */
export const make = Effect.fnUntraced(function* (extra: Readonly<Record<string, string>>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "sweep-operate-" })
  const settingsFile = path.join(folder, ".env")
  const environment = { ...ENVIRONMENT, ...extra }
  const run = makeRun(folder, environment)

  /** Output of commands that must succeed. */
  const output = Effect.fnUntraced(function* (script: string, env: Readonly<Record<string, string>> = {}) {
    const { code, err, out } = yield* run(script, env)
    yield* must(code === 0, `\`${script}\` exited with ${code}\n${err}${out}`)
    return out.trim()
  })

  /** Sets lines of `.env`, as an operator edits it. */
  const settings = Effect.fnUntraced(function* (values: Readonly<Record<string, string>>) {
    const isKept = (line: string) => line !== "" && values[line.slice(0, Math.max(line.indexOf("="), 0))] === undefined
    const lines = (yield* fs.readFileString(settingsFile)).split("\n").filter(isKept)
    const added = Object.entries(values).map(([name, value]) => `${name}=${value}`)
    yield* fs.writeFileString(settingsFile, [...lines, ...added, ""].join("\n"))
  })

  const write = (name: string, text: string) => fs.writeFileString(path.join(folder, name), text)

  return { folder, environment, run, output, settings, write }
})

export type Shell = Effect.Success<ReturnType<typeof make>>
