/** Rows that nobody needs any more, and the sums that stand in for reading all of them. */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../shared/Store.ts"

/**
 * Rows that age, with the time from which their age counts:
 *
 * - `events`: events of sweeps; their arrival. The sweep remains.
 * - `alerts`: cleared alerts; their end.
 * - `sessions`, `nonces`: their expiry.
 */
export type Kind = "events" | "alerts" | "sessions" | "nonces"

export class KeptData extends Context.Service<
  KeptData,
  {
    /**
     * Deletes up to `limit` rows of a kind whose age counts from before `beforeMs` (UNIX milliseconds), and returns their
     * number. Skips rows that another process is deleting.
     */
    readonly prune: (kind: Kind, beforeMs: number, limit: number) => Effect.Effect<number, StoreUnavailable>
    /** Takes up the changes of kept sums, so that few rows answer the next reads. The sums stay the same. */
    readonly sumUp: Effect.Effect<void, StoreUnavailable>
  }
>()("sweep/ports/builder/KeptData") {}
