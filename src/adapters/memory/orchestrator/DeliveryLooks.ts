/** Looks for deliveries of in-memory intents and for their transactions: those that are due, and what they found. */
import { Clock, Effect, HashMap, Ref } from "effect"
import type { ChainId } from "../../../domain/ChainId.ts"
import type { Intent, Intents } from "../../../ports/orchestrator/Intents.ts"
import type { Searches } from "../../../ports/orchestrator/Searches.ts"
import { lookup, type OrchestratorState, type State, type StoredIntent, withIntent } from "./OrchestratorState.ts"

type Shared = OrchestratorState["Service"]

/** Time after a delivery in which its transaction is looked for, in milliseconds. */
const FILL_MILLIS = 7 * 86_400_000

const lookAt = ({ intent, lookAtMs }: StoredIntent): number => lookAtMs ?? intent.updatedAtMs

const isFillUnseen = ({ deliveryTxHash, status }: Intent): boolean =>
  status === "delivered" && deliveryTxHash === undefined

const dueOf =
  ({ state }: Shared, isOfKind: (intent: Intent, at: number) => boolean) =>
  (chainId: ChainId, destChainId: ChainId, limit: number) =>
    Effect.flatMap(Clock.currentTimeMillis, (at) =>
      Effect.map(Ref.get(state), ({ intents }) =>
        Array.from(HashMap.values(intents))
          .filter(
            (stored) =>
              isOfKind(stored.intent, at) &&
              stored.intent.quote.sourceChainId === chainId &&
              stored.intent.order.destChainId === BigInt(destChainId) &&
              lookAt(stored) <= at
          )
          .toSorted((a, b) => lookAt(a) - lookAt(b) || (a.intent.id < b.intent.id ? -1 : 1))
          .slice(0, limit)
          .map(({ intent, looks = 0 }) => ({ intent, looks }))
      )
    )

export const due = (shared: Shared): Intents["Service"]["deliveriesDue"] =>
  dueOf(shared, ({ status }) => status === "settled_source")

export const fillsDue = (shared: Shared): Intents["Service"]["fillsDue"] =>
  dueOf(shared, (intent, at) => isFillUnseen(intent) && intent.updatedAtMs > at - FILL_MILLIS)

/** Changes a known intent. */
const changed = ({ state }: Shared, id: string, change: (intent: Intent) => Intent) =>
  Ref.update(state, (current): State => {
    const stored = lookup(current.intents, id)
    return stored === undefined ? current : withIntent(current, { ...stored, intent: change(stored.intent) })
  })

export const noteFill =
  (shared: Shared): Intents["Service"]["noteFill"] =>
  (id, deliveryTxHash, amountOut) =>
    changed(shared, id, (intent) => {
      if (!isFillUnseen(intent)) return intent
      const { searches: _searches, ...rest } = intent
      return { ...rest, deliveryTxHash, ...(amountOut === undefined ? {} : { amountOut }) }
    })

export const noteSearches =
  (shared: Shared): Intents["Service"]["noteSearches"] =>
  (id, searches) =>
    changed(shared, id, ({ searches: before, ...intent }) => {
      const blocks = Object.entries({ ...before, ...searches }).filter(([, block]) => block !== undefined)
      return blocks.length === 0 ? intent : { ...intent, searches: Object.fromEntries(blocks) as Searches }
    })

export const postpone =
  ({ state }: Shared): Intents["Service"]["postponeDeliveries"] =>
  (looked) =>
    Ref.update(state, (current) =>
      looked.reduce((acc, { id, lookAtMs }) => {
        const stored = lookup(acc.intents, id)
        return stored !== undefined && (stored.intent.status === "settled_source" || isFillUnseen(stored.intent))
          ? withIntent(acc, { ...stored, lookAtMs, looks: (stored.looks ?? 0) + 1 })
          : acc
      }, current)
    )
