/** Suspends a PostgreSQL server: it keeps its connections, accepts new ones and answers nothing. */
import { readFileSync } from "node:fs"
import { Effect } from "effect"

/** A process may end between any two looks at it, as the server's own do when their work is done. */
const unlessGone = <A>(look: () => A, gone: A): A => {
  try {
    return look()
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "ESRCH")) return gone
    throw cause
  }
}

/** Children of a process. The server's own are leaders of process groups, which no signal to its group reaches. */
const childrenOf = (pid: number): ReadonlyArray<number> =>
  unlessGone(() => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8"), "")
    .split(" ")
    .filter(Boolean)
    .map(Number)

const signal = (pid: number, name: "SIGSTOP" | "SIGCONT") => {
  // The parent first, so that it starts no child meanwhile.
  unlessGone(() => process.kill(pid, name), true)
  for (const child of childrenOf(pid)) signal(child, name)
}

/** Suspends the server until the scope closes, and returns the effect that resumes it earlier. */
export const suspend = (pid: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      signal(pid, "SIGSTOP")
      return Effect.sync(() => signal(pid, "SIGCONT"))
    }),
    (resume) => resume
  )
