/**
 * The command line as the tests start it: the bundle that the image ships, which loads in half of the time. Outside of a test run,
 * as in `./sweep chaos`, it is the source.
 */
import { join } from "node:path"
import { once, shared } from "./RunDirectory.ts"

const root = join(import.meta.dirname, "../..")

const bundle = async (directory: string): Promise<void> => {
  const build = Bun.spawn([process.execPath, "scripts/build-services.ts", directory], {
    cwd: root,
    stdout: "ignore",
    stderr: "pipe"
  })
  const [error, code] = await Promise.all([new Response(build.stderr).text(), build.exited])
  if (code !== 0) throw new Error(error)
}

/** Absolute path of the program for Bun. The first test file that needs it bundles it. */
export const program = async (): Promise<string> =>
  shared() === undefined ? join(root, "src/main.ts") : join(await once("services", bundle), "main.js")
