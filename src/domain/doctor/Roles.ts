/** Judges if every role of every chain has a living process. Pure. */
import { nameOf, type Post } from "../Role.ts"
import { error, type Finding, found, ok } from "./Finding.ts"

export const kinds = {
  unserved: error(
    "role_unserved",
    "no living process does a part of the work, while others run",
    "Start a process with it: ./sweep orchestrator --roles and --chains."
  ),
  none: ok("no_process", "no orchestrator runs"),
  well: ok("roles_ok", "every role of every chain has a living process")
}

export interface RoleFacts {
  /** All work of the deployment. */
  readonly posts: ReadonlyArray<Post>
  /** Milliseconds since the last heartbeat of each post, by its name. Posts that never had one are absent. */
  readonly ages: ReadonlyMap<string, number>
  /** Time without a heartbeat after which a post counts as abandoned, in milliseconds. */
  readonly lifetimeMillis: number
}

export const judge = ({ ages, lifetimeMillis, posts }: RoleFacts): ReadonlyArray<Finding> => {
  const ageOf = (post: Post): number => ages.get(nameOf(post)) ?? Number.POSITIVE_INFINITY
  const unserved = posts.filter((post) => ageOf(post) > lifetimeMillis)
  // Before the first start and during a stop, nobody does anything.
  if (unserved.length === posts.length) return [found(kinds.none, "orchestrator", "no process has beaten lately")]
  if (unserved.length === 0) return [found(kinds.well, "orchestrator", `${posts.length} parts have a living process`)]
  return unserved.map((post) => {
    const age = ageOf(post)
    const seen = Number.isFinite(age)
      ? `the last process was seen ${Math.round(age / 1_000)} s ago`
      : "no process was ever seen"
    const chain = post.chainId === undefined ? "" : ` --chains ${post.chainId}`
    return found(
      kinds.unserved,
      nameOf(post),
      seen,
      `Start a process with it: ./sweep orchestrator --roles ${post.role}${chain}`
    )
  })
}
