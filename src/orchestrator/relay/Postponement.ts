/** Gives claimed intents back to the queue when they cannot be sent now. */
import { Clock, Effect } from "effect"
import { Intents } from "../../ports/orchestrator/Intents.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import { Claimer } from "../shared/Claimer.ts"
import { intentFields } from "../shared/LogFields.ts"
import type { Later } from "./Prepared.ts"

/** Pause before a postponed intent can be claimed again, in milliseconds. */
const RETRY_MILLIS = 3_000

export const make = Effect.gen(function* () {
  const intents = yield* Intents

  const postpone = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, pauseMillis = RETRY_MILLIS) {
    if (ids.length === 0) return
    const now = yield* Clock.currentTimeMillis
    yield* intents.release(ids, { notBeforeMs: now + pauseMillis, worker: yield* Claimer })
  })

  /** Postpones intents because the node did not answer. Those that a transaction carries by now stay as they are. */
  const postponeUnanswered = (client: ChainClient, ids: ReadonlyArray<string>, error: ChainUnavailable) =>
    Effect.logWarning("relay.unanswered").pipe(
      Effect.annotateLogs({ chain: client.chain.name, intents: ids.join(","), detail: error.message }),
      Effect.andThen(postpone(ids))
    )

  /** Postpones intents for their reasons, which it logs. */
  const putOff = Effect.fnUntraced(function* (client: ChainClient, all: ReadonlyArray<Later>) {
    for (const { intent, text } of all) {
      yield* Effect.logWarning("sweep.postponed").pipe(
        Effect.annotateLogs({ ...intentFields(client, intent), detail: text })
      )
    }
    for (const [pauseMillis, some] of Map.groupBy(all, (each) => each.pauseMillis)) {
      yield* postpone(
        some.map(({ intent }) => intent.id),
        pauseMillis
      )
    }
  })

  return { postpone, postponeUnanswered, putOff }
})
