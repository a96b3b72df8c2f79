/** Ages and numbers of what waits in the database, for the metrics: by indexed reads with a limit, whatever waits. */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../shared/Store.ts"
import type { Topic } from "./Outbox.ts"

/** Messages of a topic are counted up to this number. */
export const MOST_COUNTED = 10_000

export interface Waiting {
  /** Number of the waiting, counted up to {@link MOST_COUNTED}. */
  readonly waiting: number
  /** UNIX milliseconds since which the oldest of them waits. Undefined if none does. */
  readonly oldestMs: number | undefined
}

export interface BacklogReport {
  /** UNIX milliseconds since which the oldest intent waits. Undefined if none does. */
  readonly intents: {
    /** For a submission. */
    readonly quoted: number | undefined
    /** For the relayer. */
    readonly queued: number | undefined
    /** For the delivery. */
    readonly settled_source: number | undefined
  }
  /** Messages for the builder backend. */
  readonly outbox: Readonly<Record<Topic, Waiting>>
}

export class Backlog extends Context.Service<
  Backlog,
  {
    readonly read: Effect.Effect<BacklogReport, StoreUnavailable>
    /** Milliseconds until the pool had a connection to give. */
    readonly poolWaitMillis: Effect.Effect<number, StoreUnavailable>
  }
>()("sweep/ports/Backlog") {}
