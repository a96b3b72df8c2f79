/** CPU time of processes, from `/proc`. Only Linux has it. */
import { readdirSync, readFileSync } from "node:fs"

/** Clock ticks in a second, which `/proc` counts CPU time in, on every Linux that Bun runs on. */
const TICKS = 100

/** Positions in `/proc/<pid>/stat` after the name: the parent, and CPU time of the process and of its ended children. */
const PARENT = 1
const TIMES = [11, 12, 13, 14] as const

/** Fields after the name, which may contain spaces. Empty if the process has ended. */
const statOf = (pid: number): ReadonlyArray<string> => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ") ?? []
  } catch {
    return []
  }
}

/** Process id of the parent, or `undefined` if the process has ended. */
export const parentOf = (pid: number): number | undefined => {
  const parent = statOf(pid)[PARENT]
  return parent === undefined ? undefined : Number(parent)
}

/** The process and all its living descendants. */
const treeOf = (root: number): ReadonlyArray<number> => {
  const parents = readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .map((name) => [Number(name), parentOf(Number(name))] as const)
  const childrenOf = (pid: number): ReadonlyArray<number> =>
    parents.filter(([, parent]) => parent === pid).flatMap(([child]) => [child, ...childrenOf(child)])
  return [root, ...childrenOf(root)]
}

/** CPU milliseconds, of user and kernel, of a process and its descendants, those that have ended included. */
export const cpuMillis = (root: number): number => {
  const ticks = treeOf(root)
    .map(statOf)
    .reduce((total, fields) => total + TIMES.reduce((sum, at) => sum + Number(fields[at] ?? 0), 0), 0)
  return (ticks * 1_000) / TICKS
}

/** CPU milliseconds of this process's main thread, which runs its JavaScript. NaN without Linux's `/proc`. */
export const threadMillis = (): number => {
  try {
    const [nanoseconds = ""] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, "latin1").split(" ")
    return Number(nanoseconds) / 1e6
  } catch {
    return Number.NaN
  }
}
