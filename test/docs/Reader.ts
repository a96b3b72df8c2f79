/**
 * A reader of the documentation: a home directory with a checkout of its own, and the local network that the first tutorial
 * starts. All pages share the network. Nothing is written to this checkout.
 */
import { chmod, cp, mkdir, mkdtemp, readdir, realpath, rm, stat, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { Context, Effect, Layer } from "effect"
import { projectRoot } from "../../src/cli/Project.ts"
import { bundle } from "../support/Program.ts"
import * as WebApp from "../support/WebApp.ts"
import { codeBlocks } from "./Markdown.ts"
import * as Session from "./Session.ts"

/** The page that sets up a folder and starts the network. */
export const FIRST_PAGE = "docs/tutorial/first-sweep.md"

/** The folder of the tutorials, below the home directory. */
const FOLDER = "sweep-try"

const CHECKOUT = "token-sweep"

/** Home directory of the reader who starts the network. */
const NETWORK = "network"

/** Directories that a clone does not have. The first two are linked, since making them takes long. */
const LINKED = ["node_modules", "dist"]
const NOT_CLONED = new Set([...LINKED, ".git", ".sweep", ".bun", "contracts/out", "contracts/cache"])

/** The bundle of the checkout's sources, which the readers' commands run: they start the command line dozens of times. */
const program = async (checkout: string, directory: string): Promise<string> => {
  const output = join(directory, "services")
  await bundle(checkout, output)
  await symlink(join(projectRoot, "node_modules"), join(directory, "node_modules"))
  return join(output, "main.js")
}

const clone = async (target: string): Promise<void> => {
  await cp(projectRoot, target, {
    recursive: true,
    filter: (source) => !NOT_CLONED.has(relative(projectRoot, source))
  })
  const present = (await readdir(projectRoot)).filter((name) => LINKED.includes(name))
  await Promise.all(present.map((name) => symlink(join(projectRoot, name), join(target, name))))
}

/** The log of `./sweep demo`, which git ignores. */
const DEMO_LOG = ".sweep/demo.log"

/** Every file of a directory with a hash of its content, without what is linked. */
const contentOf = async (directory: string): Promise<ReadonlyArray<string>> => {
  const names = await Array.fromAsync(new Bun.Glob("**/*").scan({ cwd: directory, dot: true, followSymlinks: false }))
  const own = names.filter((name) => !LINKED.includes(name.split("/")[0] ?? "") && name !== DEMO_LOG)
  const lines = await Promise.all(
    own.map(async (name) => `${name} ${Bun.hash(await Bun.file(join(directory, name)).bytes()).toString(16)}`)
  )
  return lines.toSorted()
}

const READY = "Ctrl-C stops everything."

/** Starts the network by the first page's blocks, and resolves with its process once it serves. */
const startNetwork = async (folder: Session.Folder) => {
  const blocks = codeBlocks(FIRST_PAGE)
  const child = Session.start("dash", await Session.write(folder, blocks, Session.isBackground), folder)
  let printed = ""
  const reader = child.stdout.getReader()
  const decoder = new TextDecoder()
  while (!printed.includes(READY)) {
    // oxlint-disable-next-line no-await-in-loop -- output comes in order
    const { done, value } = await reader.read()
    if (done) throw new Error(`the local network did not start:\n${printed}`)
    printed += decoder.decode(value, { stream: true })
  }
  // Nobody reads further, so the pipe must not fill up.
  void (async () => {
    while (!(await reader.read()).done);
  })()
  return child
}

interface ReaderShape {
  /** A home directory of a shell's reader, with the checkout and the running network's folder. */
  readonly folder: (shell: string, page: string) => Session.Folder
  /** Files that blocks added to, changed in or removed from the checkout. */
  readonly changes: () => Promise<ReadonlyArray<string>>
}

export class Reader extends Context.Service<Reader, ReaderShape>()("sweep/test/docs/Reader") {
  static layer(shells: ReadonlyArray<string>) {
    return Layer.effect(
      Reader,
      Effect.gen(function* () {
        const base = yield* Effect.acquireRelease(
          Effect.promise(async () => {
            const made = await realpath(await mkdtemp(join(tmpdir(), "sweep-docs-")))
            // PostgreSQL refuses to run as root, so there it runs as another user, who must get to its files.
            await chmod(made, 0o755)
            return made
          }),
          (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
        )
        const checkout = join(base, CHECKOUT)
        yield* WebApp.directory
        yield* Effect.promise(() => clone(checkout))
        // Not above the readers' projects, which must not find its packages.
        const bundled = yield* Effect.promise(() => program(checkout, join(base, "program")))
        const before = yield* Effect.promise(() => contentOf(checkout))
        const homeOf = (name: string) => join(base, "home", name)
        const folderOf = (name: string, page: string): Session.Folder => ({
          home: homeOf(name),
          start: join(homeOf(name), "empty", page),
          scratch: join(base, "scratch", name, page),
          // The network, which runs the whole service, comes from the sources as they are.
          ...(name === NETWORK ? {} : { program: bundled })
        })
        yield* Effect.promise(async () => {
          for (const name of [NETWORK, ...shells]) {
            await mkdir(homeOf(name), { recursive: true })
            await symlink(checkout, join(homeOf(name), CHECKOUT))
          }
        })
        yield* Effect.acquireRelease(
          Effect.promise(() => startNetwork(folderOf(NETWORK, "first"))),
          (child) =>
            Effect.promise(async () => {
              Session.endGroup(child.pid, "SIGTERM")
              await child.exited
              Session.endGroup(child.pid, "SIGKILL")
            })
        )
        yield* Effect.promise(async () => {
          const network = join(homeOf(NETWORK), FOLDER, ".sweep")
          await stat(network)
          for (const shell of shells) {
            await mkdir(join(homeOf(shell), FOLDER))
            await symlink(network, join(homeOf(shell), FOLDER, ".sweep"))
          }
        })
        return Reader.of({
          folder: folderOf,
          changes: async () => {
            const after = await contentOf(checkout)
            const [old, now] = [new Set(before), new Set(after)]
            return [...after.filter((line) => !old.has(line)), ...before.filter((line) => !now.has(line))]
          }
        })
      })
    )
  }
}
