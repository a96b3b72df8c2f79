/** Ends relay transactions in memory, recovers and reopens them, and detaches their intents. */
import { Clock, Effect, HashMap, Ref } from "effect"
import type { RelayTransaction, RelayTransactions } from "../../../ports/orchestrator/RelayTransactions.ts"
import * as Exposures from "./Exposures.ts"
import { lookup, type OrchestratorState, type State } from "./OrchestratorState.ts"

type Shared = OrchestratorState["Service"]

const withTransaction = (state: State, transaction: RelayTransaction): State => ({
  ...state,
  transactions: HashMap.set(state.transactions, transaction.id, transaction)
})

/** Changes a transaction that is not final. */
export const changeTransaction = (
  state: State,
  id: string,
  change: (transaction: RelayTransaction) => RelayTransaction
) => {
  const transaction = lookup(state.transactions, id)
  return transaction === undefined || transaction.status === "final"
    ? state
    : { ...state, transactions: HashMap.set(state.transactions, id, change(transaction)) }
}

/** Detaches intents. Those that are still `submitted` can be claimed again. */
const free = (state: State, ids: ReadonlyArray<string>): State => ({
  ...state,
  intents: ids.reduce(
    (intents, id) =>
      HashMap.modify(intents, id, ({ relayTransactionId, ...stored }) =>
        stored.intent.status === "submitted" || relayTransactionId === undefined
          ? stored
          : { ...stored, relayTransactionId }
      ),
    state.intents
  )
})

/** Removes the hashes of those that are still `submitted`. */
const withoutHash = (state: State, ids: ReadonlyArray<string>): State => ({
  ...state,
  intents: ids.reduce(
    (intents, id) =>
      HashMap.modify(intents, id, (stored) => {
        const { txHash: _unsent, ...intent } = stored.intent
        return intent.status === "submitted" ? { ...stored, intent } : stored
      }),
    state.intents
  )
})

const isCarried = ({ transactions }: State, intentId: string): boolean =>
  Array.from(HashMap.values(transactions)).some(
    ({ intentIds, status }) => status !== "final" && intentIds.includes(intentId)
  )

/** Takes a transaction's cost out of the books. */
const unbooked = (state: State, id: string): State => ({
  ...state,
  spending: state.spending.filter((booked) => booked.id !== id)
})

export const finalize = ({ state }: Shared): RelayTransactions["Service"]["finalize"] =>
  Effect.fnUntraced(function* (endings) {
    const endedAtMs = yield* Clock.currentTimeMillis
    yield* Ref.update(state, (current) =>
      endings.reduce((acc, { bookings = [], cost = 0n, id, inclusion, nativeUsd, outcomes = [], parts = [] }) => {
        const transaction = lookup(acc.transactions, id)
        if (transaction === undefined || transaction.status === "final") return acc
        const { chainId } = transaction
        const carried = lookup(acc.transactions, id)?.intentIds ?? []
        const ended = changeTransaction(acc, id, ({ inclusion: _previous, ...transaction }) => ({
          ...transaction,
          status: "final",
          intentIds: [],
          ...(inclusion === undefined ? {} : { inclusion })
        }))
        const spent = {
          ...ended,
          ended: HashMap.set(ended.ended, id, carried),
          spending: [...ended.spending, { id, chainId, endedAtMs, wei: cost, nativeUsd, parts }]
        }
        // A sweep that was detached may have been reserved again, or be on its way with another transaction.
        const detached = (lookup(acc.detached, id) ?? []).filter(
          (each) =>
            (lookup(acc.exposures, each)?.atMs ?? Infinity) <= transaction.createdAtMs && !isCarried(ended, each)
        )
        const ids = [...carried, ...detached]
        const reserved = outcomes.filter(({ intentId }) => ids.includes(intentId))
        const settled = Exposures.ended(spent, ids)
        // It has ended before, and was reopened.
        const ofClasses = HashMap.has(acc.ended, id) ? [] : bookings
        return free(
          Exposures.booked(settled, [...ofClasses, ...Exposures.ofReserved(spent, reserved)], endedAtMs),
          carried
        )
      }, current)
    )
  })

export const displaced =
  ({ state }: Shared): RelayTransactions["Service"]["displaced"] =>
  (chainId, sinceMs) =>
    Effect.map(Ref.get(state), ({ spending: ended, transactions }) =>
      Array.from(HashMap.values(transactions))
        .filter(
          (each) =>
            each.chainId === chainId &&
            each.status === "final" &&
            each.inclusion === undefined &&
            (ended.some(({ endedAtMs, id }) => id === each.id && endedAtMs > sinceMs) ||
              each.attempts.some(({ broadcastAtMs = 0, signedAtMs }) => Math.max(signedAtMs, broadcastAtMs) > sinceMs))
        )
        .map(({ attempts, id, lane, nonce }) => ({ id, lane, nonce, hashes: attempts.map(({ hash }) => hash) }))
        .toSorted((a, b) => Number(a.id) - Number(b.id))
    )

export const recover = ({ state }: Shared): RelayTransactions["Service"]["recover"] =>
  Effect.fnUntraced(function* ({ cost, id, inclusion, nativeUsd }) {
    const endedAtMs = yield* Clock.currentTimeMillis
    yield* Ref.update(state, (current) => {
      const transaction = lookup(current.transactions, id)
      if (transaction?.status !== "final" || transaction.inclusion !== undefined) return current
      const { chainId } = transaction
      const others = unbooked(current, id)
      const booked = { ...others, spending: [...others.spending, { id, chainId, endedAtMs, wei: cost, nativeUsd }] }
      return withTransaction(booked, { ...transaction, inclusion })
    })
  })

export const finalFrom =
  ({ state }: Shared): RelayTransactions["Service"]["finalFrom"] =>
  (chainId, blockNumber) =>
    Effect.map(Ref.get(state), ({ transactions }) =>
      Array.from(HashMap.values(transactions))
        .flatMap(({ id, inclusion, status, ...transaction }) =>
          transaction.chainId === chainId &&
          status === "final" &&
          inclusion !== undefined &&
          inclusion.blockNumber >= blockNumber
            ? [{ id, inclusion }]
            : []
        )
        .toSorted((a, b) => Number(a.id) - Number(b.id))
    )

/** The reopened transaction. Undefined if it has nothing to be reopened for, or has another block by now. */
const reopened = (
  state: State,
  { id, inclusion: gone }: Parameters<RelayTransactions["Service"]["reopen"]>[0][number],
  atMs: number
): RelayTransaction | undefined => {
  const transaction = lookup(state.transactions, id)
  if (transaction?.inclusion === undefined) return undefined
  if (transaction.inclusion.hash !== gone.hash || transaction.inclusion.blockHash !== gone.blockHash) return undefined
  const { inclusion, ...rest } = transaction
  const settledBy = (intentId: string) => {
    const intent = lookup(state.intents, intentId)?.intent
    return intent?.status === "settled_source" || intent?.status === "delivered" ? intent.txHash : undefined
  }
  const isFinal = rest.status === "final"
  const intentIds = isFinal
    ? (lookup(state.ended, id) ?? []).filter((each) => rest.attempts.some(({ hash }) => hash === settledBy(each)))
    : rest.intentIds
  const isSweep = intentIds.some((each) => settledBy(each) === inclusion.hash)
  if (!isFinal && !isSweep) return undefined
  return {
    ...rest,
    status: "pending",
    kind: isSweep ? "sweep" : rest.kind,
    reopened: { atMs, hash: inclusion.hash },
    intentIds
  }
}

export const reopen =
  ({ state }: Shared): RelayTransactions["Service"]["reopen"] =>
  (lost) =>
    Effect.flatMap(Clock.currentTimeMillis, (atMs) =>
      Ref.modify(state, (current) => {
        const found = lost.flatMap((each) => reopened(current, each, atMs) ?? [])
        const next = found.reduce((acc, each) => withTransaction(unbooked(acc, each.id), each), current)
        return [found.map(({ id }) => id), next]
      })
    )

export const detach =
  ({ state }: Shared): RelayTransactions["Service"]["detach"] =>
  (id, intentIds, unsent = []) =>
    Ref.update(state, (current) => {
      const carried = (lookup(current.transactions, id)?.intentIds ?? []).filter((carriedId) =>
        intentIds.includes(carriedId)
      )
      const detached = HashMap.set(current.detached, id, [...(lookup(current.detached, id) ?? []), ...carried])
      return withoutHash(
        free(
          changeTransaction({ ...current, detached }, id, (transaction) => ({
            ...transaction,
            intentIds: transaction.intentIds.filter((carriedId) => !carried.includes(carriedId))
          })),
          carried
        ),
        carried.filter((carriedId) => unsent.includes(carriedId))
      )
    })
