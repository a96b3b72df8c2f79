/** Paths of this checkout and of the Bun that runs it. */
import { fileURLToPath } from "node:url"

export const projectRoot = fileURLToPath(new URL("../..", import.meta.url))

export const bunExecutable = process.execPath
