/** Servers in packages of distributions, which have LLVM, while those of npm do not. */
import { Effect, FileSystem, Path } from "effect"

/** Directories by the layouts of Debian and of PostgreSQL's own packages for Red Hat. */
const PARENTS = [
  { parent: "/usr/lib/postgresql", nameOf: (major: string) => major },
  { parent: "/usr", nameOf: (major: string) => `pgsql-${major}` }
]

const MAJORS = ["15", "16", "17", "18"]

export interface Installed {
  readonly major: string
  /** Directory above `bin` and `lib`. */
  readonly directory: string
  /** True if the server can compile plans. */
  readonly hasJit: boolean
}

/** The servers of this machine, oldest first. */
export const find = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const candidates = MAJORS.flatMap((major) =>
    PARENTS.map(({ nameOf, parent }) => ({ major, directory: `${parent}/${nameOf(major)}` }))
  )
  const found = yield* Effect.filter(candidates, ({ directory }) => fs.exists(`${directory}/bin/postgres`))
  return yield* Effect.forEach(found, ({ directory, major }) =>
    Effect.map(fs.exists(`${directory}/lib/llvmjit.so`), (hasJit): Installed => ({ major, directory, hasJit }))
  )
})

/** A directory in the form of the npm package, over the binaries of a server. Lasts as long as the scope. */
export const packageOf = Effect.fnUntraced(function* ({ directory }: Installed) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const made = yield* fs.makeTempDirectoryScoped({ prefix: "sweep-postgres-binaries-" })
  // PostgreSQL does not run as root.
  yield* fs.chmod(made, 0o755)
  yield* fs.symlink(directory, path.join(made, "native"))
  return made
})
