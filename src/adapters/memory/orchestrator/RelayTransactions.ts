/** Relay transactions in memory, for tests. */
import { Clock, Effect, HashMap, Layer, Ref } from "effect"
import { IntentTaken, type RelayTransaction, RelayTransactions } from "../../../ports/orchestrator/RelayTransactions.ts"
import { account, carriesOwner, lookup, OrchestratorState, type State, unleased } from "./OrchestratorState.ts"

type Shared = OrchestratorState["Service"]

type Allocation = Parameters<RelayTransactions["Service"]["allocate"]>[0]

/** Intents that the transaction may not carry. */
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

const HOUR_MILLIS = 3_600_000

const hourOf = (millis: number): number => millis - (millis % HOUR_MILLIS)

const withTransaction = (state: State, transaction: RelayTransaction): State => ({
  ...state,
  transactions: HashMap.set(state.transactions, transaction.id, transaction)
})

const changeTransaction = (state: State, id: string, change: (transaction: RelayTransaction) => RelayTransaction) => {
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

const withWantedUntil = (state: State, transaction: RelayTransaction): RelayTransaction => {
  const deadlines = transaction.intentIds.flatMap((id) => {
    const intent = lookup(state.intents, id)?.intent
    return intent !== undefined && (intent.status === "submitted" || transaction.reopened === true)
      ? [intent.order.deadline]
      : []
  })
  const [first, ...rest] = deadlines
  if (first === undefined) return transaction
  return { ...transaction, wantedUntil: rest.reduce((latest, each) => (each > latest ? each : latest), first) }
}

const allocate =
  ({ allocating, state }: Shared): RelayTransactions["Service"]["allocate"] =>
  (options) =>
    Effect.gen(function* () {
      const { chainId, chainNonce, intentIds, lane } = options
      const before = yield* Ref.get(state)
      const missed = taken(before, options)
      if (missed.length > 0) return yield* new IntentTaken({ intentIds: missed })
      const next = lookup(before.laneNonces, account(chainId, lane)) ?? 0n
      const nonce = next > chainNonce ? next : chainNonce
      const attempt = yield* options.sign(nonce)
      const createdAtMs = yield* Clock.currentTimeMillis
      // Checked again, since the intents were not locked while signing.
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
            reserved: HashMap.set(current.reserved, transaction.id, options.reserve ?? 0n),
            intents: intentIds.reduce(
              (intents, id) =>
                HashMap.modify(intents, id, (stored) => ({
                  ...unleased(stored),
                  intent: { ...stored.intent, txHash: attempt.hash, updatedAtMs: createdAtMs },
                  relayTransactionId: transaction.id
                })),
              current.intents
            )
          }
        ]
      }).pipe(Effect.flatten)
    }).pipe(allocating.withPermit)

const addAttempt = ({ state }: Shared): RelayTransactions["Service"]["addAttempt"] =>
  Effect.fnUntraced(function* (id, attempt, kind) {
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

const markBroadcast = ({ state }: Shared): RelayTransactions["Service"]["markBroadcast"] =>
  Effect.fnUntraced(function* (hash) {
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

const setInclusion =
  ({ state }: Shared): RelayTransactions["Service"]["setInclusion"] =>
  (id, inclusion) =>
    Ref.update(state, (current) =>
      changeTransaction(current, id, ({ inclusion: _previous, ...transaction }) =>
        inclusion === undefined ? { ...transaction, status: "pending" } : { ...transaction, status: "mined", inclusion }
      )
    )

const finalize = ({ state }: Shared): RelayTransactions["Service"]["finalize"] =>
  Effect.fnUntraced(function* (endings) {
    const hourMs = hourOf(yield* Clock.currentTimeMillis)
    yield* Ref.update(state, (current) =>
      endings.reduce((acc, { cost = 0n, id, inclusion }) => {
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
          spending: [...ended.spending, { chainId, hourMs, wei: cost }]
        }
        return free(spent, carried)
      }, current)
    )
  })

const finalFrom =
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

const reopen =
  ({ state }: Shared): RelayTransactions["Service"]["reopen"] =>
  (ids) =>
    Ref.update(state, (current) =>
      ids.reduce((acc, id) => {
        const transaction = lookup(acc.transactions, id)
        if (transaction?.status !== "final") return acc
        const { inclusion: _lost, ...rest } = transaction
        const settledHere = (intentId: string) => {
          const intent = lookup(acc.intents, intentId)?.intent
          const isSettled = intent?.status === "settled_source" || intent?.status === "delivered"
          return isSettled && rest.attempts.some(({ hash }) => hash === intent.txHash)
        }
        const intentIds = (lookup(acc.ended, id) ?? []).filter(settledHere)
        const reopened: RelayTransaction = { ...rest, status: "pending", reopened: true, intentIds }
        return withTransaction(acc, reopened)
      }, current)
    )

const spending =
  ({ state }: Shared): RelayTransactions["Service"]["spending"] =>
  (chainId, sinceMs) =>
    Effect.map(Ref.get(state), (current) => {
      const spent = current.spending.filter((each) => each.chainId === chainId && each.hourMs >= hourOf(sinceMs))
      const open = Array.from(HashMap.values(current.transactions)).filter(
        (transaction) => transaction.chainId === chainId && transaction.status !== "final"
      )
      return [...spent.map(({ wei }) => wei), ...open.map(({ id }) => lookup(current.reserved, id) ?? 0n)].reduce(
        (sum, wei) => sum + wei,
        0n
      )
    })

const detach =
  ({ state }: Shared): RelayTransactions["Service"]["detach"] =>
  (id, intentIds) =>
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

const unfinished =
  ({ state }: Shared): RelayTransactions["Service"]["unfinished"] =>
  (chainId) =>
    Effect.map(Ref.get(state), (current) =>
      Array.from(HashMap.values(current.transactions))
        .filter((transaction) => transaction.chainId === chainId && transaction.status !== "final")
        .map((transaction) => withWantedUntil(current, transaction))
        .toSorted((a, b) => (a.lane === b.lane ? (a.nonce < b.nonce ? -1 : 1) : a.lane < b.lane ? -1 : 1))
    )

const make = Effect.map(OrchestratorState, (shared) =>
  RelayTransactions.of({
    allocate: allocate(shared),
    addAttempt: addAttempt(shared),
    markBroadcast: markBroadcast(shared),
    setInclusion: setInclusion(shared),
    finalize: finalize(shared),
    finalFrom: finalFrom(shared),
    reopen: reopen(shared),
    spending: spending(shared),
    detach: detach(shared),
    unfinished: unfinished(shared)
  })
)

export const layerNoDeps = Layer.effect(RelayTransactions, make)

/** Shares its state with the other in-memory stores that are built together with it. */
export const layer = layerNoDeps.pipe(Layer.provide(OrchestratorState.layer))
