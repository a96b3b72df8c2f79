/** Makes an integrator's project: the packed client and its peers installed, the examples beside it, nothing of this repository. */
import { cp, mkdir, symlink, writeFile } from "node:fs/promises"
import { basename, delimiter, join } from "node:path"
import { build } from "../../scripts/build-sdk.ts"
import { once } from "../support/RunDirectory.ts"

export const root = join(import.meta.dirname, "..", "..")

export interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

/** Only to end a program that hangs: a busy machine must not make it red. */
const PATIENCE_MILLIS = 240_000

/** `bun --bun` puts a `node` that is Bun first in the path. An integrator's Node is the real one. */
const pathWithoutBunsNode = (process.env["PATH"] ?? "")
  .split(delimiter)
  .filter((directory) => !basename(directory).startsWith("bun-node-"))
  .join(delimiter)

export const run = async (
  command: ReadonlyArray<string>,
  options: {
    readonly cwd: string
    readonly env?: Readonly<Record<string, string>>
    /** Default: 4 minutes. */
    readonly timeoutMillis?: number
  }
): Promise<Ran> => {
  const child = Bun.spawn([...command], {
    cwd: options.cwd,
    stdout: "pipe",
    stderr: "pipe",
    timeout: options.timeoutMillis ?? PATIENCE_MILLIS,
    env: { ...process.env, PATH: pathWithoutBunsNode, ...options.env }
  })
  const [out, error, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited
  ])
  return { code, out, error }
}

/** TypeScript's compiler of this repository, on a project's `tsconfig.json`. */
export const typeCheck = (cwd: string): Promise<Ran> =>
  run([process.execPath, join(root, "node_modules", "typescript", "bin", "tsc"), "-p", ".", "--checkers", "1"], { cwd })

/** The compiler options of an integrator. */
export const tsconfig = (files: ReadonlyArray<string>): string =>
  JSON.stringify({
    compilerOptions: {
      target: "ES2022",
      module: "NodeNext",
      moduleResolution: "NodeNext",
      lib: ["ES2023", "DOM", "DOM.Iterable"],
      strict: true,
      noEmit: true,
      types: [],
      skipLibCheck: true
    },
    files
  })

/** The packed client, which the first file that needs it builds. */
export const archive = async (): Promise<string> => {
  const packed = await once("client", (shared) => build(join(shared, "sdk")))
  const [found = ""] = await Array.fromAsync(new Bun.Glob("*.tgz").scan({ cwd: packed, absolute: true }))
  return found
}

/** Makes the project in `directory`. Resolves with its path. */
export const make = async (directory: string): Promise<string> => {
  const project = join(directory, "project")
  const modules = join(project, "node_modules")
  await mkdir(join(modules, "token-sweep"), { recursive: true })
  // The same as a package manager does with a package that has no dependencies.
  const unpacked = await run(
    ["tar", "-xzf", await archive(), "-C", join(modules, "token-sweep"), "--strip-components=1"],
    {
      cwd: directory
    }
  )
  if (unpacked.code !== 0) throw new Error(unpacked.error)
  await mkdir(join(modules, "@modelcontextprotocol"))
  await Promise.all(
    ["viem", "ethers", "@modelcontextprotocol/sdk"].map((name) =>
      symlink(join(root, "node_modules", name), join(modules, name))
    )
  )
  await cp(join(root, "examples"), project, { recursive: true })
  await writeFile(join(project, "package.json"), `{"type":"module"}`)
  return project
}
