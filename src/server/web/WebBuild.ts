/** Rebuilds the web app when its sources are newer, if the sources and the build script are present. */
import { Effect, FileSystem, Path, Schema } from "effect"
import { ChildProcess } from "effect/process"
import { createHash } from "node:crypto"
import { rename, rm } from "node:fs/promises"

/** Output directory, relative to the project's root. */
export const OUTPUT = "dist/web"

/** Holds the stamp of the sources of the build. */
export const STAMP_FILE = ".stamp"

const SCRIPT = "scripts/build-web.ts"

/** Inputs of a build. */
const SOURCES = [
  "src/{web,api,domain,sdk}/**/*.{ts,tsx,css,html,svg}",
  "scripts/{build-web,ModulePreload}.ts",
  "bun.lock"
]

/** Hash of the inputs of a build. */
export const stampOf = async (root: string): Promise<string> => {
  const hash = createHash("sha256")
  const names = await Promise.all(SOURCES.map((pattern) => Array.fromAsync(new Bun.Glob(pattern).scan({ cwd: root }))))
  for (const name of names.flat().toSorted()) {
    hash.update(`${name}\n`)
    // oxlint-disable-next-line no-await-in-loop -- the hash takes files in order
    hash.update(await Bun.file(`${root}/${name}`).bytes())
  }
  return hash.digest("hex")
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOTEMPTY" || error.code === "EEXIST")

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT"

/**
 * Puts a complete build in the place of another one, which is missing only between two renames. Processes that build at the same
 * time may do so at once: the last one wins.
 */
export const publish = async (fresh: string, output: string): Promise<void> => {
  const replaced = `${fresh}.replaced`
  for (;;) {
    await rename(output, replaced).catch((error: unknown) => {
      if (!isMissing(error)) throw error
    })
    try {
      await rename(fresh, output)
      return
    } catch (error) {
      // Another process put its build there between the two renames.
      if (!isTaken(error)) throw error
    } finally {
      await rm(replaced, { recursive: true, force: true })
    }
  }
}

/** The build script failed. Its output holds the reason. */
export class WebBuildFailed extends Schema.TaggedError<WebBuildFailed>()("WebBuildFailed", {
  exitCode: Schema.Int
}) {
  override get message(): string {
    return `the web app could not be built (exit code ${this.exitCode}): run bun ${SCRIPT}`
  }
}

/**
 * Builds the app in a separate process if it is missing or older than its sources, and returns the directory to serve. A
 * container image with a build and no build script is served as it is.
 */
export const ensure = Effect.fn("WebBuild.ensure")(function* (root: string, bun: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const output = path.join(root, OUTPUT)
  if (!(yield* fs.exists(path.join(root, SCRIPT)))) return output
  const built = yield* fs.readFileString(path.join(output, STAMP_FILE)).pipe(Effect.orElseSucceed(() => ""))
  if (built === (yield* Effect.promise(() => stampOf(root)))) return output
  const child = yield* ChildProcess.make(bun, [SCRIPT], {
    cwd: root,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit"
  })
  const exitCode = yield* child.exitCode
  if (exitCode !== 0) return yield* new WebBuildFailed({ exitCode })
  return output
}, Effect.scoped)
