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

/** UNIX milliseconds since which the oldest intent waits. Undefined if none does. */
export interface WaitingIntents {
  /** For a submission. */
  readonly quoted: number | undefined
  /** For the relayer. Of a chain's intents that are put off, only the first {@link MOST_COUNTED} to be due are read. */
  readonly queued: number | undefined
  /** For the delivery. */
  readonly settled_source: number | undefined
}

/** Each part is read by itself, so that a slow one delays no other. */
export class Backlog extends Context.Service<
  Backlog,
  {
    readonly intents: Effect.Effect<WaitingIntents, StoreUnavailable>
    /** Messages for the builder backend. */
    readonly outbox: Effect.Effect<Readonly<Record<Topic, Waiting>>, StoreUnavailable>
    /** Milliseconds until the pool had a connection to give. */
    readonly poolWaitMillis: Effect.Effect<number, StoreUnavailable>
  }
>()("sweep/ports/Backlog") {}
