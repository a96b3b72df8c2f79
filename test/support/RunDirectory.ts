/** A directory of parts that the test files of one run share. RunSetup.ts makes and removes it. */
import { mkdir, rename, writeFile } from "node:fs/promises"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"

/** Variable of the environment with the directory's path. */
export const VARIABLE = "SWEEP_TEST_RUN"

/** Path of the directory; undefined outside of a test run. */
export const shared = (): string | undefined => process.env[VARIABLE]

const LOOK_AGAIN_MILLIS = 50

/**
 * Makes a part, once in a run: the first test file that needs it makes it in a directory of its own, which does not exist yet, while
 * others wait. Resolves with the directory. Rejects for all of them if `make` does.
 */
export const once = async (name: string, make: (directory: string) => Promise<unknown>): Promise<string> => {
  const directory = join(shared() ?? "", name)
  const outcome = `${directory}.outcome`
  const isFirst = await mkdir(`${directory}.making`).then(
    () => true,
    () => false
  )
  if (isFirst) {
    const error = await make(directory).then(
      () => "",
      (reason: unknown) => `${String(reason)} `
    )
    // A reader must see no half of it.
    await writeFile(`${outcome}.new`, error)
    await rename(`${outcome}.new`, outcome)
  }
  // oxlint-disable-next-line no-await-in-loop -- it waits
  while (!existsSync(outcome)) await setTimeout(LOOK_AGAIN_MILLIS)
  const error = await Bun.file(outcome).text()
  if (error !== "") throw new Error(`${name}: ${error}`)
  return directory
}
