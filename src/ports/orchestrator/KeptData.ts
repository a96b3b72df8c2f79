/** Rows that nobody needs any more, and the sums that stand in for reading all of them. */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../shared/Store.ts"

/**
 * Rows that age, with the time from which their age counts:
 *
 * - `quotes`: intents that were never submitted; their creation.
 * - `messages`: bookings of the outbox that the receiver acknowledged; the acknowledgement. Events may go with it.
 * - `rejections`: events that the receiver rejected for good; the rejection. Rejected bookings are kept.
 * - `attempts`: signed versions of final transactions; the transaction's end.
 * - `events`: the history of intents outside the months of {@link KeptData}; the event.
 * - `fills`: searches for the transactions of delivered intents, not the intents; the delivery.
 * - `alerts`: cleared alerts; their end.
 * - `responses`: responses to keyed requests; their expiry.
 */
export type Kind = "quotes" | "messages" | "rejections" | "attempts" | "events" | "fills" | "alerts" | "responses"

export class KeptData extends Context.Service<
  KeptData,
  {
    /**
     * Deletes up to `limit` rows of a kind whose age counts from before `beforeMs` (UNIX milliseconds), and returns their
     * number. Skips rows that another process is deleting.
     */
    readonly prune: (kind: Kind, beforeMs: number, limit: number) => Effect.Effect<number, StoreUnavailable>
    /** Makes room for the rows of the coming months. Without it, they go where they cannot be detached by month. */
    readonly addMonths: Effect.Effect<void, StoreUnavailable>
    /**
     * Drops the history of every month that is over before `beforeMs` (UNIX milliseconds) and has no event from then or later.
     * Returns the number of months. The first call for a month indexes it, which takes minutes if it is large and locks nothing.
     */
    readonly dropMonths: (beforeMs: number) => Effect.Effect<number, StoreUnavailable>
    /** Sums up the changes of kept numbers, so that few rows answer the next reads. The numbers stay the same. */
    readonly sumUp: Effect.Effect<void, StoreUnavailable>
  }
>()("sweep/ports/KeptData") {}
