/** Reads of in-memory intents that change nothing. */
import { Effect, HashMap, Option, Ref } from "effect"
import { BURNING, type IntentStatus, statusCounts } from "../../../domain/Intent.ts"
import type { Intent, Intents, IntentState } from "../../../ports/orchestrator/Intents.ts"
import { isQueued } from "./IntentQueue.ts"
import { lookup, type OrchestratorState, type State, type StoredIntent } from "./OrchestratorState.ts"

type Shared = OrchestratorState["Service"]

const all = ({ intents }: State): ReadonlyArray<Intent> => Array.from(HashMap.values(intents), ({ intent }) => intent)

const byCreation = (a: Intent, b: Intent): number => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1)

const refundOf = ({ refunds }: State, id: string): Pick<IntentState, "refund"> => {
  const refund = lookup(refunds, id)
  return refund?.line === undefined
    ? {}
    : { refund: { token: refund.token, amount: refund.amount, txHash: refund.line.txHash } }
}

const insteadOf = ({ arrivals }: State, { amountOut, id, status }: Intent): Pick<IntentState, "arrivedInstead"> => {
  const arrived = status === "delivered" && amountOut === undefined ? lookup(arrivals, id) : undefined
  return arrived === undefined ? {} : { arrivedInstead: arrived }
}

const stateOf = (state: State, stored: StoredIntent): IntentState => {
  const { amountOut, deliveryTxHash, failureReason, id, quote, status, txHash } = stored.intent
  return {
    id,
    status,
    crossChain: quote.crossChain,
    ...(txHash === undefined ? {} : { txHash }),
    ...(deliveryTxHash === undefined ? {} : { deliveryTxHash }),
    ...(amountOut === undefined ? {} : { amountOut }),
    ...(failureReason === undefined ? {} : { failureReason }),
    ...refundOf(state, id),
    ...insteadOf(state, stored.intent),
    ...(stored.waitingFor === undefined || !isQueued(stored) ? {} : { waitingFor: stored.waitingFor })
  }
}

export const find =
  ({ state }: Shared): Intents["Service"]["find"] =>
  (id) =>
    Effect.map(Ref.get(state), ({ intents }) => Option.map(HashMap.get(intents, id), ({ intent }) => intent))

export const findAll =
  ({ state }: Shared): Intents["Service"]["findAll"] =>
  (ids) =>
    Effect.map(Ref.get(state), ({ intents }) => [...new Set(ids)].flatMap((id) => lookup(intents, id)?.intent ?? []))

export const states =
  ({ state }: Shared): Intents["Service"]["states"] =>
  (ids) =>
    Effect.map(Ref.get(state), (current) =>
      [...new Set(ids)].flatMap((id) => {
        const stored = lookup(current.intents, id)
        return stored === undefined ? [] : [stateOf(current, stored)]
      })
    )

export const quotes =
  ({ state }: Shared): Intents["Service"]["quotes"] =>
  (ids) =>
    Effect.map(
      Ref.get(state),
      ({ intents }) =>
        new Map(
          ids.flatMap((id) => {
            const stored = lookup(intents, id)
            return stored === undefined ? [] : [[id, stored.intent.quote] as const]
          })
        )
    )

export const burned =
  ({ state }: Shared): Intents["Service"]["burned"] =>
  ({ builders, chainId, owners, sinceMs }) =>
    Effect.map(Ref.get(state), (current) => {
      const recent = Array.from(HashMap.values(current.intents)).flatMap(({ givenUp, intent }) => {
        const open = intent.status === "submitted" ? givenUp : undefined
        const reason = intent.failureReason ?? open?.reason
        const isBurned = reason !== undefined && BURNING.includes(reason) && intent.txHash !== undefined
        return isBurned && (open?.atMs ?? intent.updatedAtMs) > sinceMs ? [intent] : []
      })
      const counted = <K extends string>(keys: ReadonlyArray<K>, isOf: (intent: Intent, key: K) => boolean) =>
        new Map(
          keys.flatMap((key) => {
            const count = recent.filter((intent) => isOf(intent, key)).length
            return count === 0 ? [] : [[key as string, count] as const]
          })
        )
      return {
        owners: counted(owners, ({ order, quote }, owner) => quote.sourceChainId === chainId && order.owner === owner),
        builders: counted(builders, ({ attributed }, id) => attributed?.builderId === id)
      }
    })

const everSettled = ({ failureReason, status }: Intent): boolean =>
  status === "settled_source" || status === "delivered" || failureReason === "bridge_refunded"

export const hasSettled =
  ({ state }: Shared): Intents["Service"]["hasSettled"] =>
  (owner, chainIds) =>
    Effect.map(Ref.get(state), (current) =>
      all(current).some(
        (intent) => intent.order.owner === owner && chainIds.includes(intent.quote.sourceChainId) && everSettled(intent)
      )
    )

export const settledOf =
  ({ state }: Shared): Intents["Service"]["settledOf"] =>
  (chainId, owners) =>
    Effect.map(Ref.get(state), (current) => {
      const settled = all(current).filter((intent) => intent.quote.sourceChainId === chainId && everSettled(intent))
      const known = new Set(settled.map(({ order }) => order.owner))
      return new Set(owners.filter((owner) => known.has(owner)))
    })

export const inStatus =
  ({ state }: Shared): Intents["Service"]["inStatus"] =>
  (chainId, statuses, limit) =>
    Effect.map(Ref.get(state), (current) =>
      all(current)
        .filter(({ quote, status }) => quote.sourceChainId === chainId && statuses.includes(status))
        .toSorted(byCreation)
        .slice(0, limit)
    )

export const counts = ({ state }: Shared): Intents["Service"]["counts"] =>
  Effect.map(Ref.get(state), (current) => {
    const count = new Map<IntentStatus, number>()
    for (const { status } of all(current)) count.set(status, (count.get(status) ?? 0) + 1)
    return statusCounts(count)
  })
