/** Scratch copies of the checkout, in which files may be changed. */
import { Effect, FileSystem, Path } from "effect"

/** Dependencies are linked instead; the rest is no source. */
const LEFT_OUT = new Set([".bun", ".git", ".sweep", "dist", "node_modules"])

/** Copies `source` into a new temporary directory that lives as long as the scope. Returns the copy's path. */
export const copy = Effect.fnUntraced(function* (source: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  // Test runners report real paths.
  const target = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "sweep-mutants-" }))
  for (const name of yield* fs.readDirectory(source)) {
    if (!LEFT_OUT.has(name)) yield* fs.copy(path.join(source, name), path.join(target, name))
  }
  yield* fs.symlink(yield* fs.realPath(path.join(source, "node_modules")), path.join(target, "node_modules"))
  return target
})

/** Runs `use` while a file has other content, and restores the file afterwards. */
export const withContent = <A, E, R>(file: string, content: string, use: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    return yield* Effect.acquireUseRelease(
      Effect.tap(fs.readFileString(file), () => fs.writeFileString(file, content)),
      () => use,
      (original) => Effect.orDie(fs.writeFileString(file, original))
    )
  })
