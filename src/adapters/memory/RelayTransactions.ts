/** Relay transactions in memory, for tests. */
import { Clock, Effect, HashMap, Layer, Ref } from "effect"
import { IntentTaken, type RelayTransaction, RelayTransactions } from "../../ports/RelayTransactions.ts"
import { account, carriesOwner, lookup, OrchestratorState, type State } from "./OrchestratorState.ts"

type Allocation = Parameters<RelayTransactions["Service"]["allocate"]>[0]

/** Those of the intents that the transaction may not carry. */
const taken = (state: State, { chainId, intentIds }: Allocation): ReadonlyArray<string> => {
  const owners = new Set<string>()
  return intentIds.filter((id) => {
    const stored = lookup(state.intents, id)
    if (stored === undefined) return true
    const { order, quote, status } = stored.intent
    const free =
      status === "submitted" &&
      quote.sourceChainId === chainId &&
      stored.relayTransactionId === undefined &&
      !owners.has(order.owner) &&
      !carriesOwner(state, chainId, order.owner)
    owners.add(order.owner)
    return !free
  })
}

const changeTransaction = (state: State, id: string, change: (transaction: RelayTransaction) => RelayTransaction) => {
  const transaction = lookup(state.transactions, id)
  return transaction === undefined || transaction.status === "final"
    ? state
    : { ...state, transactions: HashMap.set(state.transactions, id, change(transaction)) }
}

/** Lets go of intents; those that are still `submitted` can be claimed again. */
const free = (state: State, ids: ReadonlyArray<string>): State => ({
  ...state,
  intents: ids.reduce(
    (intents, id) =>
      HashMap.modify(intents, id, (stored) =>
        stored.intent.status === "submitted" ? { intent: stored.intent } : stored
      ),
    state.intents
  )
})

const make = Effect.gen(function* () {
  const { allocating, state } = yield* OrchestratorState

  const refuseTaken = Effect.fnUntraced(function* (current: State, options: Allocation) {
    const intentIds = taken(current, options)
    if (intentIds.length > 0) return yield* new IntentTaken({ intentIds })
  })

  const allocate: RelayTransactions["Service"]["allocate"] = (options) =>
    Effect.gen(function* () {
      const { chainId, chainNonce, intentIds, lane } = options
      const before = yield* Ref.get(state)
      yield* refuseTaken(before, options)
      const next = lookup(before.laneNonces, account(chainId, lane)) ?? 0n
      const nonce = next > chainNonce ? next : chainNonce
      const attempt = yield* options.sign(nonce)
      const createdAtMs = yield* Clock.currentTimeMillis
      // No lock on the intents was held while signing.
      return yield* Ref.modify(state, (current): readonly [Effect.Effect<RelayTransaction, IntentTaken>, State] => {
        const lost = taken(current, options)
        if (lost.length > 0) return [Effect.fail(new IntentTaken({ intentIds: lost })), current]
        const transaction: RelayTransaction = {
          id: String(HashMap.size(current.transactions) + 1),
          chainId,
          lane,
          nonce,
          kind: intentIds.length === 0 ? "cancel" : "sweep",
          intentIds,
          status: "pending",
          attempts: [attempt],
          createdAtMs
        }
        return [
          Effect.succeed(transaction),
          {
            ...current,
            laneNonces: HashMap.set(current.laneNonces, account(chainId, lane), nonce + 1n),
            transactions: HashMap.set(current.transactions, transaction.id, transaction),
            intents: intentIds.reduce(
              (intents, id) =>
                HashMap.modify(intents, id, ({ intent }) => ({
                  intent: { ...intent, txHash: attempt.hash, updatedAtMs: createdAtMs },
                  relayTransactionId: transaction.id
                })),
              current.intents
            )
          }
        ]
      }).pipe(Effect.flatten)
    }).pipe(allocating.withPermit)

  const addAttempt: RelayTransactions["Service"]["addAttempt"] = Effect.fnUntraced(function* (id, attempt, kind) {
    const updatedAtMs = yield* Clock.currentTimeMillis
    yield* Ref.update(state, (current) => {
      const transaction = lookup(current.transactions, id)
      if (transaction === undefined) return current
      const attempts = transaction.attempts.some(({ hash }) => hash === attempt.hash)
        ? transaction.attempts
        : [...transaction.attempts, attempt]
      return {
        ...current,
        transactions: HashMap.set(current.transactions, id, { ...transaction, kind, attempts }),
        intents: (kind === "sweep" ? transaction.intentIds : []).reduce(
          (intents, intentId) =>
            HashMap.modify(intents, intentId, (stored) =>
              stored.intent.status === "submitted"
                ? { ...stored, intent: { ...stored.intent, txHash: attempt.hash, updatedAtMs } }
                : stored
            ),
          current.intents
        )
      }
    })
  })

  const markBroadcast: RelayTransactions["Service"]["markBroadcast"] = Effect.fnUntraced(function* (hash) {
    const broadcastAtMs = yield* Clock.currentTimeMillis
    yield* Ref.update(state, (current) => ({
      ...current,
      transactions: HashMap.map(current.transactions, (transaction) => ({
        ...transaction,
        attempts: transaction.attempts.map((attempt) =>
          attempt.hash === hash ? { ...attempt, broadcastAtMs } : attempt
        )
      }))
    }))
  })

  const setInclusion: RelayTransactions["Service"]["setInclusion"] = (id, inclusion) =>
    Ref.update(state, (current) =>
      changeTransaction(current, id, ({ inclusion: _previous, ...transaction }) =>
        inclusion === undefined ? { ...transaction, status: "pending" } : { ...transaction, status: "mined", inclusion }
      )
    )

  const finalize: RelayTransactions["Service"]["finalize"] = (id) =>
    Ref.update(state, (current) => {
      const carried = lookup(current.transactions, id)?.intentIds ?? []
      return free(
        changeTransaction(current, id, (transaction) => ({ ...transaction, status: "final", intentIds: [] })),
        carried
      )
    })

  const detach: RelayTransactions["Service"]["detach"] = (id, intentIds) =>
    Ref.update(state, (current) => {
      const carried = (lookup(current.transactions, id)?.intentIds ?? []).filter((carriedId) =>
        intentIds.includes(carriedId)
      )
      return free(
        changeTransaction(current, id, (transaction) => ({
          ...transaction,
          intentIds: transaction.intentIds.filter((carriedId) => !carried.includes(carriedId))
        })),
        carried
      )
    })

  const unfinished: RelayTransactions["Service"]["unfinished"] = (chainId) =>
    Effect.map(Ref.get(state), ({ transactions }) =>
      Array.from(HashMap.values(transactions))
        .filter((transaction) => transaction.chainId === chainId && transaction.status !== "final")
        .toSorted((a, b) => (a.lane === b.lane ? (a.nonce < b.nonce ? -1 : 1) : a.lane < b.lane ? -1 : 1))
    )

  return RelayTransactions.of({
    allocate,
    addAttempt,
    markBroadcast,
    setInclusion,
    finalize,
    detach,
    unfinished
  })
})

export const layerNoDeps = Layer.effect(RelayTransactions, make)

/** Shares its state with the other in-memory stores that are built together with it. */
export const layer = layerNoDeps.pipe(Layer.provide(OrchestratorState.layer))
