/** Deliveries to webhooks that wait in the database, for the metrics: by indexed reads with a limit, whatever waits. */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../shared/Store.ts"

export class WebhookBacklog extends Context.Service<
  WebhookBacklog,
  {
    readonly read: Effect.Effect<
      {
        /** To endpoints that are enabled. Counted up to 10,000. */
        readonly waiting: number
        /**
         * UNIX milliseconds since which the oldest of them waits. Undefined if none does. Those to endpoints that fail count only if such
         * endpoints of several builders have messages that wait, or if nothing was delivered to any builder since they fail. Of a queue,
         * the first 10 that are due are read.
         */
        readonly oldestMs: number | undefined
        /**
         * UNIX milliseconds since which the oldest delivery is due that should be under way: to an endpoint that does not fail, of a builder
         * none of whose such endpoints is being sent anything. Undefined if there is none.
         */
        readonly lateSinceMs: number | undefined
      },
      StoreUnavailable
    >
    /** Milliseconds until the pool had a connection to give. */
    readonly poolWaitMillis: Effect.Effect<number, StoreUnavailable>
  }
>()("sweep/ports/WebhookBacklog") {}
