/** Rebuilds the web app when its sources are newer, if the sources and the build script are present. */
import { Effect, FileSystem, Path, Schema } from "effect"
import { ChildProcess } from "effect/process"
import { createHash } from "node:crypto"

/** Output directory, relative to the project's root. */
export const OUTPUT = "dist/web"

/** Holds the stamp of the sources of the build. */
export const STAMP_FILE = ".stamp"

const SCRIPT = "scripts/build-web.ts"

/** Inputs of a build. */
const SOURCES = ["src/{web,api,domain,sdk}/**/*.{ts,tsx,css,html,svg}", "scripts/build-web.ts", "bun.lock"]

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
