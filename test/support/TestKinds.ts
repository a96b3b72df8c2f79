/**
 * Tells unit tests from tests on real parts (a chain's node, a database, a browser, a process), by what they import. A unit test
 * loads no module below `test/` that starts a real part.
 */
import { globSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"

/** Modules of `src` and packages that start processes, as they are named in an import. */
const STARTS_PROCESSES = [
  /^(node:)?child_process$/,
  /^effect\/process$/,
  /^playwright-core$/,
  /^@effect\/sql-pg\//,
  /\/src\/apps\//,
  /\/src\/devnet\/(Anvil|DevChain|DevNetwork|Edr|Network|Postgres|Redis|Subprocess)\.ts$/,
  /\/chaos\//
]

/** Imports of values, and where they lead. Types are erased and start nothing. */
const IMPORT = /^(?:import|export)(?! type\b)[^"';]*?(?:from )?"([^"]+)"/gm

const importsOf = (source: string): ReadonlyArray<string> => [...source.matchAll(IMPORT)].map(([, name = ""]) => name)

/** Paths of the unit tests, relative to `root`. */
export const unitTests = (root: string): ReadonlyArray<string> => {
  const known = new Map<string, boolean>()
  const isReal = (file: string): boolean => {
    const before = known.get(file)
    if (before !== undefined) return before
    // A circle of imports is judged by its other modules.
    known.set(file, false)
    const source = readFileSync(file, "utf8")
    const real =
      source.includes("Bun.spawn") ||
      importsOf(source).some((name) => {
        if (STARTS_PROCESSES.some((pattern) => pattern.test(name))) return true
        if (!name.startsWith(".")) return false
        const target = join(dirname(file), name)
        return target.startsWith(join(root, "test")) && target.endsWith(".ts") && isReal(target)
      })
    known.set(file, real)
    return real
  }
  return globSync("test/**/*.test.ts", { cwd: root })
    .filter((file) => !isReal(join(root, file)))
    .map((file) => relative(root, join(root, file)))
    .toSorted()
}
