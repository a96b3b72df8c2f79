/** Declarations of the published client. */
import { rm } from "node:fs/promises"
import { join, relative } from "node:path"
import { reuseOrMake, stampOf } from "./kept.ts"
import { run } from "./run.ts"

const root = join(import.meta.dirname, "..")
const sources = join(root, "src")

/** Declarations import modules with the extension `.ts`, which TypeScript resolves only since 5.7. */
const withJsExtensions = (declarations: string): string =>
  declarations.replaceAll(/(from |import\()("\.{1,2}\/[^"]+)\.tsx?"/g, '$1$2.js"')

const RELATIVE_IMPORT = /(?:from |import\()"(\.{1,2}\/[^"]+)\.tsx?"/g

/** The declarations that entries import, directly or not, and the entries themselves. */
const declarationsOf = async (entries: ReadonlyArray<string>): Promise<ReadonlySet<string>> => {
  const needed = new Set(entries)
  // A set also visits what is added meanwhile.
  for (const path of needed) {
    for (const [, imported] of (await Bun.file(path).text()).matchAll(RELATIVE_IMPORT)) {
      needed.add(join(path, "..", `${imported}.d.ts`))
    }
  }
  return needed
}

/** Writes the declarations of `entries`, and of the modules that they import, into `types`. */
const compile = async (out: string, types: string, entries: ReadonlyArray<string>): Promise<void> => {
  const config = join(out, "tsconfig.json")
  await Bun.write(
    config,
    JSON.stringify({
      extends: join(root, "tsconfig.json"),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        types: [],
        rootDir: sources,
        outDir: types
      },
      include: [],
      files: entries
    })
  )
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc")
  // Several checkers would each check the types that files share, which nearly doubles the work.
  await run([process.execPath, compiler, "-p", config, "--checkers", "1"], root)
  await rm(config)
  const needed = await declarationsOf(
    entries.map((source) => join(types, relative(sources, source).replace(/\.ts$/, ".d.ts")))
  )
  for await (const path of new Bun.Glob("**/*.d.ts").scan({ cwd: types, absolute: true })) {
    if (needed.has(path)) await Bun.write(path, withJsExtensions(await Bun.file(path).text()))
    else await rm(path)
  }
}

/** Everything that declarations follow from: the sources, the compiler and its options, the types of packages, and the scripts. */
const INPUTS = ["src/**/*.{ts,tsx}", "{package,tsconfig}.json", "bun.lock", "scripts/{build-sdk,client-types}.ts"]

/**
 * Writes the declarations of the package's entries into `types` of its directory. They are the same for every deployment, and compiling
 * them takes longer than the rest of a build, so the checkout keeps those of the last build.
 */
export const declare = async (out: string, entries: ReadonlyArray<string>): Promise<void> => {
  const output = join(out, "types")
  await reuseOrMake({
    kept: join(root, "dist", "client-types"),
    stamp: await stampOf(root, INPUTS),
    output,
    make: () => compile(out, output, entries)
  })
}
