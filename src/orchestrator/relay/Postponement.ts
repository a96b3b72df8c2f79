/** Gives claimed intents back to the queue when they cannot be sent now. */
import { Clock, Effect } from "effect"
import { Intents } from "../../ports/orchestrator/Intents.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import { Claimer } from "./Claimer.ts"

/** Pause before a postponed intent can be claimed again, in milliseconds. */
const RETRY_MILLIS = 3_000

export const make = Effect.gen(function* () {
  const intents = yield* Intents

  const postpone = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, pauseMillis = RETRY_MILLIS) {
    if (ids.length === 0) return
    yield* intents.release(ids, (yield* Clock.currentTimeMillis) + pauseMillis, undefined, yield* Claimer)
  })

  /** Postpones intents because the node did not answer. Those that a transaction carries by now stay as they are. */
  const postponeUnanswered = (client: ChainClient, ids: ReadonlyArray<string>, error: ChainUnavailable) =>
    Effect.logWarning("relay.unanswered").pipe(
      Effect.annotateLogs({ chain: client.chain.name, intents: ids.join(","), detail: error.message }),
      Effect.andThen(postpone(ids))
    )

  return { postpone, postponeUnanswered }
})
