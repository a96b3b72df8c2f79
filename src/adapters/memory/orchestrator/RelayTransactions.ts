/** Relay transactions in memory, for tests. */
import { Clock, Effect, HashMap, Layer, Ref } from "effect"
import { hasSlot, missedNonce } from "../../../domain/LaneSlots.ts"
import {
  type Attempt,
  type Front,
  IntentTaken,
  LaneClosed,
  LaneFull,
  type RelayTransaction,
  RelayTransactions
} from "../../../ports/orchestrator/RelayTransactions.ts"
import { account, carriesOwner, lookup, OrchestratorState, type State, unwaiting } from "./OrchestratorState.ts"
import * as RelayEndings from "./RelayEndings.ts"

type Shared = OrchestratorState["Service"]

type Allocation = Parameters<RelayTransactions["Service"]["allocate"]>[0]

/** Intents that the transaction may not carry. */
const taken = (state: State, { chainId, intentIds }: Allocation): ReadonlyArray<string> =>
  intentIds.filter((id) => {
    const stored = lookup(state.intents, id)
    if (stored === undefined) return true
    const { order, quote, status } = stored.intent
    const isFree =
      status === "submitted" &&
      quote.sourceChainId === chainId &&
      stored.relayTransactionId === undefined &&
      !carriesOwner(state, chainId, order.owner)
    return !isFree
  })

const withWantedUntil = (state: State, transaction: RelayTransaction): RelayTransaction => {
  const deadlines = transaction.intentIds.flatMap((id) => {
    const intent = lookup(state.intents, id)?.intent
    return intent !== undefined && (intent.status === "submitted" || transaction.reopened !== undefined)
      ? [intent.order.deadline]
      : []
  })
  const [first, ...rest] = deadlines
  if (first === undefined) return transaction
  return { ...transaction, wantedUntil: rest.reduce((latest, each) => (each > latest ? each : latest), first) }
}

/** The lane's next nonce, or one that was missed if that one has no slot. Undefined if neither has one. */
const chosen = (state: State, { chainId, chainNonce, lane, slots }: Allocation) => {
  const stored = lookup(state.laneNonces, account(chainId, lane)) ?? 0n
  const next = stored > chainNonce ? stored : chainNonce
  if (slots === undefined || hasSlot(next, chainNonce, slots)) return { next, nonce: next }
  const isOfLane = (each: { readonly chainId: number; readonly lane: string }) =>
    each.chainId === chainId && each.lane === lane
  const transactions = Array.from(HashMap.values(state.transactions)).filter(isOfLane)
  const withdrawals = state.withdrawals.filter(isOfLane)
  const mined = transactions.filter(({ inclusion }) => inclusion !== undefined)
  const lastMined = mined.reduce((last, { nonce }) => (nonce > last ? nonce : last), -1n)
  const taken = [...transactions, ...withdrawals].map(({ nonce }) => nonce)
  return { next, nonce: missedNonce({ next: stored, taken, lastMined }, chainNonce, slots) }
}

const allocate =
  ({ allocating, state }: Shared): RelayTransactions["Service"]["allocate"] =>
  (options) =>
    Effect.gen(function* () {
      const { chainId, intentIds, lane } = options
      const before = yield* Ref.get(state)
      const missed = taken(before, options)
      if (missed.length > 0) return yield* new IntentTaken({ intentIds: missed })
      if ((before.laneStates.get(lane)?.state ?? "active") !== "active") return yield* new LaneClosed({ lane })
      const { next, nonce } = chosen(before, options)
      if (nonce === undefined) return yield* new LaneFull({ lane, nonce: next })
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
            // A missed nonce is below the next one, which stays as it is.
            laneNonces: HashMap.set(current.laneNonces, account(chainId, lane), nonce < next ? next : nonce + 1n),
            transactions: HashMap.set(current.transactions, transaction.id, transaction),
            reserved: HashMap.set(current.reserved, transaction.id, options.reserve ?? 0n),
            intents: intentIds.reduce(
              (intents, id) =>
                HashMap.modify(intents, id, (stored) => ({
                  ...unwaiting(stored),
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
      const signedAgain = (stored: Attempt): Attempt =>
        stored.hash === attempt.hash
          ? { ...stored, signedAtMs: Math.max(stored.signedAtMs, attempt.signedAtMs) }
          : stored
      const attempts = transaction.attempts.some(({ hash }) => hash === attempt.hash)
        ? transaction.attempts.map(signedAgain)
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

const setInclusions =
  ({ state }: Shared): RelayTransactions["Service"]["setInclusions"] =>
  (included) =>
    Ref.update(state, (current) =>
      included.reduce(
        (acc, { id, inclusion }) =>
          RelayEndings.changeTransaction(acc, id, (transaction) => ({ ...transaction, status: "mined", inclusion })),
        current
      )
    )

const clearInclusion =
  ({ state }: Shared): RelayTransactions["Service"]["clearInclusion"] =>
  (id, { blockHash, hash }) =>
    Ref.modify(state, (current): readonly [boolean, State] => {
      const noted = lookup(current.transactions, id)
      const isSame = noted?.inclusion?.hash === hash && noted.inclusion.blockHash === blockHash
      if (noted?.status !== "mined" || !isSame) return [false, current]
      return [
        true,
        RelayEndings.changeTransaction(current, id, ({ inclusion: _previous, ...transaction }) => ({
          ...transaction,
          status: "pending"
        }))
      ]
    })

const HOUR_MILLIS = 3_600_000

const hourOf = (millis: number): number => millis - (millis % HOUR_MILLIS)

const sumOf = (values: ReadonlyArray<bigint>): bigint => values.reduce((sum, wei) => sum + wei, 0n)

const paidOf = ({ spending }: State, chainId: number, sinceMs: number): bigint =>
  sumOf(spending.filter((each) => each.chainId === chainId && each.endedAtMs >= hourOf(sinceMs)).map(({ wei }) => wei))

const paid =
  ({ state }: Shared): RelayTransactions["Service"]["paid"] =>
  (chainId, sinceMs) =>
    Effect.map(Ref.get(state), (current) => paidOf(current, chainId, sinceMs))

const spending =
  ({ state }: Shared): RelayTransactions["Service"]["spending"] =>
  (chainId, sinceMs) =>
    Effect.map(Ref.get(state), (current) => {
      const open = Array.from(HashMap.values(current.transactions)).filter(
        ({ createdAtMs, intentIds, reopened, ...each }) =>
          each.chainId === chainId &&
          each.status !== "final" &&
          (each.status === "mined" || reopened !== undefined || createdAtMs >= hourOf(sinceMs) || intentIds.length > 0)
      )
      const reserved = sumOf(open.map(({ id }) => lookup(current.reserved, id) ?? 0n))
      return paidOf(current, chainId, sinceMs) + reserved
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

const nextNonce =
  ({ state }: Shared): RelayTransactions["Service"]["nextNonce"] =>
  (chainId, lane) =>
    Effect.map(Ref.get(state), ({ transactions }) =>
      Array.from(HashMap.values(transactions))
        .filter((each) => each.chainId === chainId && each.lane === lane)
        .filter(({ inclusion, status }) => status !== "final" || inclusion !== undefined)
        .reduce((next, { nonce }) => (nonce >= next ? nonce + 1n : next), 0n)
    )

const fronts =
  (shared: Shared): RelayTransactions["Service"]["fronts"] =>
  (chainId) =>
    Effect.gen(function* () {
      const { reserved } = yield* Ref.get(shared.state)
      const found = new Map<string, Front>()
      for (const { attempts, createdAtMs, id, lane, nonce, status } of yield* unfinished(shared)(chainId)) {
        const fee = attempts.at(-1)?.maxFeePerGas
        if (status !== "pending" || fee === undefined) continue
        const before = found.get(lane) ?? { createdAtMs, maxFeePerGas: fee, pending: [] }
        found.set(lane, {
          lane,
          maxFeePerGas: fee < before.maxFeePerGas ? fee : before.maxFeePerGas,
          createdAtMs: Math.min(before.createdAtMs, createdAtMs),
          pending: [...before.pending, { nonce, reserved: lookup(reserved, id) ?? 0n }]
        })
      }
      return [...found.values()]
    })

const make = Effect.map(OrchestratorState, (shared) =>
  RelayTransactions.of({
    allocate: allocate(shared),
    addAttempt: addAttempt(shared),
    markBroadcast: markBroadcast(shared),
    setInclusion: (id, inclusion) => setInclusions(shared)([{ id, inclusion }]),
    setInclusions: setInclusions(shared),
    clearInclusion: clearInclusion(shared),
    finalize: RelayEndings.finalize(shared),
    displaced: RelayEndings.displaced(shared),
    recover: RelayEndings.recover(shared),
    finalFrom: RelayEndings.finalFrom(shared),
    reopen: RelayEndings.reopen(shared),
    spending: spending(shared),
    paid: paid(shared),
    nextNonce: nextNonce(shared),
    fronts: fronts(shared),
    detach: RelayEndings.detach(shared),
    unfinished: unfinished(shared),
    survey: (chainId) => Effect.map(unfinished(shared)(chainId), (transactions) => ({ transactions, unreadable: [] }))
  })
)

export const layerNoDeps = Layer.effect(RelayTransactions, make)

/** Shares its state with the other in-memory stores that are built together with it. */
export const layer = layerNoDeps.pipe(Layer.provide(OrchestratorState.layer))
