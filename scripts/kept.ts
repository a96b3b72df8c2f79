/** Directories that take long to make, kept for the next time under the stamp of their inputs. */
import { randomUUID } from "node:crypto"
import { cp, readdir, rename, rm } from "node:fs/promises"
import { join } from "node:path"

/** Hash of the names and contents of all files of `root` that match one of the patterns. */
export const stampOf = async (root: string, patterns: ReadonlyArray<string>): Promise<string> => {
  const hash = new Bun.CryptoHasher("sha256")
  const names = await Promise.all(patterns.map((pattern) => Array.fromAsync(new Bun.Glob(pattern).scan({ cwd: root }))))
  for (const name of names.flat().toSorted()) {
    // oxlint-disable-next-line no-await-in-loop -- the hash takes files in order
    const bytes = await Bun.file(join(root, name)).bytes()
    hash.update(`${name} ${bytes.length}\n`)
    hash.update(bytes)
  }
  return hash.digest("hex")
}

const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false
  )

/** Keeps a copy in the place of others. Every step is a rename, so that a process that copies meanwhile sees all files or fails. */
const keep = async (output: string, kept: string, stamp: string): Promise<void> => {
  const fresh = join(kept, `${stamp}.${randomUUID()}`)
  try {
    await cp(output, fresh, { recursive: true })
    await rename(fresh, join(kept, stamp))
  } catch (error) {
    await rm(fresh, { recursive: true, force: true })
    throw error
  }
  const others = (await readdir(kept)).filter((name) => !name.startsWith(stamp))
  await Promise.all(
    others.map(async (name) => {
      const removed = join(kept, `${stamp}.${randomUUID()}`)
      await rename(join(kept, name), removed)
      await rm(removed, { recursive: true })
    })
  )
}

export interface Kept {
  /** Directory of the last result. */
  readonly kept: string
  /** Stamp of everything that the result follows from. */
  readonly stamp: string
  /** Directory of the result, which does not exist yet. */
  readonly output: string
  /** Makes the result there. */
  readonly make: () => Promise<void>
}

/** Copies the last result if it has this stamp, and makes it otherwise. Rejects if `make` does. */
export const reuseOrMake = async ({ kept, make, output, stamp }: Kept): Promise<void> => {
  if (await succeeds(cp(join(kept, stamp), output, { recursive: true }))) return
  await rm(output, { recursive: true, force: true })
  await make()
  // A result needs no place to be kept in, and another process may have kept the same meanwhile.
  await succeeds(keep(output, kept, stamp))
}
