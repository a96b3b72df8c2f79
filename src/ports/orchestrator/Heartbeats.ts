/** Signs of life of the roles' processes, so that work without a process is noticed by the others. */
import { Context, type Effect } from "effect"
import type { Post } from "../../domain/Role.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

export class Heartbeats extends Context.Service<
  Heartbeats,
  {
    /** Says that a living process does the work of the posts. */
    readonly beat: (posts: ReadonlyArray<Post>) => Effect.Effect<void, StoreUnavailable>
    /** Milliseconds since the last heartbeat of each post, by its name. Posts that never had one are absent. */
    readonly ages: Effect.Effect<ReadonlyMap<string, number>, StoreUnavailable>
  }
>()("sweep/ports/Heartbeats") {}
