/** Makes the directory of parts that the test files of a run share, and removes it when all tests have ended. */
import { mkdtemp, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { VARIABLE } from "./RunDirectory.ts"

export default async () => {
  const directory = await mkdtemp(join(tmpdir(), "sweep-run-"))
  // A bundle finds the packages that it leaves out beside itself.
  await symlink(join(import.meta.dirname, "../../node_modules"), join(directory, "node_modules"))
  process.env[VARIABLE] = directory
  return () => rm(directory, { recursive: true, force: true })
}
