/** Reasons for which submitted in-memory intents are no longer sent. */
import { Clock, Effect, Option, Ref } from "effect"
import type { Intents } from "../../../ports/orchestrator/Intents.ts"
import { isHeldBy, isQueued } from "./IntentQueue.ts"
import { lookup, type OrchestratorState, unwaiting, withIntent } from "./OrchestratorState.ts"

type Shared = OrchestratorState["Service"]

export const giveUp =
  ({ state }: Shared): Intents["Service"]["giveUp"] =>
  (id, { detail, notBeforeMs, reason, worker }) =>
    Effect.flatMap(Clock.currentTimeMillis, (atMs) =>
      Ref.modify(state, (current) => {
        const stored = lookup(current.intents, id)
        if (stored?.intent.status !== "submitted") return [false, current]
        if (worker !== undefined && !(isQueued(stored) && isHeldBy(stored, worker))) return [false, current]
        return [true, withIntent(current, { ...unwaiting(stored), notBeforeMs, givenUp: { reason, detail, atMs } })]
      })
    )

export const givenUp =
  ({ state }: Shared): Intents["Service"]["givenUp"] =>
  (id) =>
    Effect.map(Ref.get(state), ({ intents }) => {
      const why = lookup(intents, id)?.givenUp
      return why === undefined ? Option.none() : Option.some({ reason: why.reason, detail: why.detail })
    })

export const givenUpReasons =
  ({ state }: Shared): Intents["Service"]["givenUpReasons"] =>
  (ids) =>
    Effect.map(
      Ref.get(state),
      ({ intents }) =>
        new Map(
          ids.flatMap((id) => {
            const why = lookup(intents, id)?.givenUp
            return why === undefined ? [] : [[id, why.reason] as const]
          })
        )
    )
