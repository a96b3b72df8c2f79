/**
 * The command line as the tests start it: the bundle that the image ships, which loads in half of the time. Outside of a test run,
 * as in `./sweep chaos`, it is the source.
 */
import { join } from "node:path"
import { projectRoot } from "../../src/cli/Project.ts"
import { once, shared } from "./RunDirectory.ts"

/** Bundles the sources of a checkout. The bundle finds the packages that it leaves out in a `node_modules` beside `directory`. */
export const bundle = async (checkout: string, directory: string): Promise<void> => {
  const build = Bun.spawn([process.execPath, "scripts/build-services.ts", directory], {
    cwd: checkout,
    stdout: "ignore",
    stderr: "pipe"
  })
  const [error, code] = await Promise.all([new Response(build.stderr).text(), build.exited])
  if (code !== 0) throw new Error(error)
}

/** Absolute path of the program for Bun. The first test file that needs it bundles it. */
export const program = async (): Promise<string> =>
  shared() === undefined
    ? join(projectRoot, "src/main.ts")
    : join(await once("services", (directory) => bundle(projectRoot, directory)), "main.js")

/** The setting by which the launcher runs {@link program}. */
export const throughBundle = async () => ({ SWEEP_PROGRAM: await program() })
