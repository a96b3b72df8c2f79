/** Looks for deliveries of in-memory intents: those that are due, and their postponement. */
import { Clock, Effect, HashMap, Ref } from "effect"
import type { Intents } from "../../../ports/orchestrator/Intents.ts"
import { lookup, type OrchestratorState, type StoredIntent, withIntent } from "./OrchestratorState.ts"

type Shared = OrchestratorState["Service"]

const lookAt = ({ intent, lookAtMs }: StoredIntent): number => lookAtMs ?? intent.updatedAtMs

export const due =
  ({ state }: Shared): Intents["Service"]["deliveriesDue"] =>
  (chainId, destChainId, limit) =>
    Effect.flatMap(Clock.currentTimeMillis, (at) =>
      Effect.map(Ref.get(state), ({ intents }) =>
        Array.from(HashMap.values(intents))
          .filter(
            (stored) =>
              stored.intent.status === "settled_source" &&
              stored.intent.quote.sourceChainId === chainId &&
              stored.intent.order.destChainId === BigInt(destChainId) &&
              lookAt(stored) <= at
          )
          .toSorted((a, b) => lookAt(a) - lookAt(b) || (a.intent.id < b.intent.id ? -1 : 1))
          .slice(0, limit)
          .map(({ intent, looks = 0 }) => ({ intent, looks }))
      )
    )

export const postpone =
  ({ state }: Shared): Intents["Service"]["postponeDeliveries"] =>
  (looked) =>
    Ref.update(state, (current) =>
      looked.reduce((acc, { id, lookAtMs }) => {
        const stored = lookup(acc.intents, id)
        return stored?.intent.status === "settled_source"
          ? withIntent(acc, { ...stored, lookAtMs, looks: (stored.looks ?? 0) + 1 })
          : acc
      }, current)
    )
