/** Intents with the reasons why they wait, from the shared in-memory state. */
import { Clock, Effect, HashMap, Layer, Option, Ref } from "effect"
import { type Carrier, type HeldIntent, HeldIntents } from "../../../ports/orchestrator/HeldIntents.ts"
import type { RelayTransaction } from "../../../ports/orchestrator/RelayTransactions.ts"
import { bySubmission, isQueued } from "./IntentQueue.ts"
import { lookup, OrchestratorState, type State, type StoredIntent } from "./OrchestratorState.ts"

const carrierOf = (state: State, stored: StoredIntent): RelayTransaction | undefined => {
  if (stored.intent.status !== "submitted" || stored.relayTransactionId === undefined) return undefined
  const transaction = lookup(state.transactions, stored.relayTransactionId)
  return transaction?.status === "final" ? undefined : transaction
}

const toCarrier = (state: State, transaction: RelayTransaction): Carrier | undefined => {
  const newest = transaction.attempts.at(-1)
  return newest === undefined
    ? undefined
    : {
        lane: transaction.lane,
        nonce: transaction.nonce,
        kind: transaction.kind,
        hash: newest.hash,
        signedAtMs: newest.signedAtMs,
        ...(newest.broadcastAtMs === undefined ? {} : { broadcastAtMs: newest.broadcastAtMs }),
        maxFeePerGas: newest.maxFeePerGas,
        versions: transaction.attempts.length,
        ...(transaction.inclusion === undefined ? {} : { blockNumber: transaction.inclusion.blockNumber }),
        behind: Array.from(HashMap.values(state.transactions)).filter(
          ({ chainId, lane, nonce, status }) =>
            chainId === transaction.chainId &&
            lane === transaction.lane &&
            nonce < transaction.nonce &&
            status === "pending"
        ).length
      }
}

/** The owner's other intent that goes first, by the rules of `Intents.claim`. */
const ownersOther = (state: State, stored: StoredIntent, nowMs: number): string | undefined => {
  if (!isQueued(stored)) return undefined
  const others = Array.from(HashMap.values(state.intents)).filter(
    ({ intent: { id, order, quote } }) =>
      id !== stored.intent.id &&
      order.owner === stored.intent.order.owner &&
      quote.sourceChainId === stored.intent.quote.sourceChainId
  )
  const carried = others.find((other) => carrierOf(state, other) !== undefined)
  const queued = others.find(
    (other) =>
      isQueued(other) &&
      ((other.leaseUntilMs !== undefined && other.leaseUntilMs > nowMs) ||
        ((other.notBeforeMs === undefined || other.notBeforeMs <= nowMs) && bySubmission(other, stored) < 0))
  )
  return (carried ?? queued)?.intent.id
}

const toGivenUp = ({ givenUp }: StoredIntent): Pick<HeldIntent, "givenUp"> =>
  givenUp === undefined ? {} : { givenUp: { reason: givenUp.reason, detail: givenUp.detail } }

const toHeld = (state: State, stored: StoredIntent, nowMs: number): HeldIntent => {
  const { attributed, id, order, quote, status, submittedAtMs, txHash, updatedAtMs } = stored.intent
  const transaction = carrierOf(state, stored)
  const carrier = transaction === undefined ? undefined : toCarrier(state, transaction)
  const other = ownersOther(state, stored, nowMs)
  const { leaseUntilMs = nowMs, notBeforeMs = nowMs } = isQueued(stored) ? stored : {}
  return {
    id,
    status,
    owner: order.owner,
    sourceChainId: quote.sourceChainId,
    destChainId: Number(order.destChainId),
    ...(attributed === undefined ? {} : { builderId: attributed.builderId }),
    provider: quote.provider,
    estimatedSeconds: quote.estimatedSeconds,
    ...(submittedAtMs === undefined ? {} : { submittedAtMs }),
    updatedAtMs,
    deadline: order.deadline,
    ...(txHash === undefined ? {} : { txHash }),
    ...(carrier === undefined ? {} : { carrier }),
    ...(leaseUntilMs > nowMs ? { leasedUntilMs: leaseUntilMs } : {}),
    ...(notBeforeMs > nowMs ? { restsUntilMs: notBeforeMs, ...toGivenUp(stored) } : {}),
    ...(stored.waitingFor === undefined || !isQueued(stored) ? {} : { waitingFor: stored.waitingFor }),
    ...(other === undefined ? {} : { ownersOther: other })
  }
}

const isStuck = (stored: StoredIntent, beforeMs: number, nowMs: number): boolean => {
  const { quote, status, submittedAtMs, updatedAtMs } = stored.intent
  if (status === "submitted") {
    return (submittedAtMs ?? 0) <= beforeMs || (isQueued(stored) && (stored.notBeforeMs ?? 0) > nowMs)
  }
  return status === "settled_source" && updatedAtMs + quote.estimatedSeconds * 1000 <= beforeMs
}

const make = Effect.gen(function* () {
  const { state } = yield* OrchestratorState

  const stuck: HeldIntents["Service"]["stuck"] = Effect.fnUntraced(function* ({ beforeMs, limit }) {
    const nowMs = yield* Clock.currentTimeMillis
    const current = yield* Ref.get(state)
    const all = Array.from(HashMap.values(current.intents)).filter((stored) => isStuck(stored, beforeMs, nowMs))
    const intents = all.toSorted(bySubmission).slice(0, limit)
    return { intents: intents.map((stored) => toHeld(current, stored, nowMs)), total: all.length }
  })

  const find: HeldIntents["Service"]["find"] = Effect.fnUntraced(function* (id) {
    const nowMs = yield* Clock.currentTimeMillis
    const current = yield* Ref.get(state)
    return Option.map(HashMap.get(current.intents, id), (stored) => toHeld(current, stored, nowMs))
  })

  return HeldIntents.of({ stuck, find })
})

/** Shares its state with the other in-memory stores that are built together with it. */
export const layer = Layer.effect(HeldIntents, make).pipe(Layer.provide(OrchestratorState.layer))
