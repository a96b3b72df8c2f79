/** {@link SweepRecords} from the shared in-memory state. */
import { Effect, HashMap, Layer, Option, Ref } from "effect"
import type { Hash } from "../../../domain/Hex.ts"
import type { RelayTransaction } from "../../../ports/orchestrator/RelayTransactions.ts"
import { type RecordedTransaction, SweepRecords } from "../../../ports/orchestrator/SweepRecords.ts"
import { lookup, OrchestratorState, type State } from "./OrchestratorState.ts"

/** Intents that a transaction carries or carried. */
const carriedBy = (state: State, { id, intentIds }: RelayTransaction): ReadonlySet<string> =>
  new Set([...intentIds, ...(lookup(state.ended, id) ?? []), ...(lookup(state.detached, id) ?? [])])

const transactions = (state: State): ReadonlyArray<RelayTransaction> =>
  Array.from(HashMap.values(state.transactions)).toSorted((a, b) => Number(a.id) - Number(b.id))

const toRecorded = (state: State, transaction: RelayTransaction): RecordedTransaction => {
  const { attempts, chainId, createdAtMs, id, inclusion, kind, lane, nonce, status } = transaction
  return {
    id,
    chainId,
    lane,
    nonce,
    kind,
    status,
    createdAtMs,
    intents: carriedBy(state, transaction).size,
    attempts: attempts.map(({ raw: _bytes, ...attempt }) => attempt),
    ...(inclusion === undefined ? {} : { inclusion }),
    ...(status === "final" ? { cost: state.spending.find((each) => each.id === id)?.wei ?? 0n } : {})
  }
}

/** Intents that were delivered by the transaction, or whose deposit it returned. */
const endedBy = (state: State, hash: Hash): ReadonlyArray<string> => [
  ...Array.from(HashMap.values(state.intents))
    .filter(({ intent }) => intent.deliveryTxHash === hash && intent.txHash !== hash)
    .map(({ intent }) => intent.id),
  ...Array.from(HashMap.values(state.refunds))
    .filter(({ line }) => line?.txHash === hash)
    .map(({ id }) => id)
]

const make = Effect.map(OrchestratorState, ({ state: shared }) =>
  SweepRecords.of({
    ofOwner: (owner, chainIds, limit) =>
      Effect.map(Ref.get(shared), ({ intents }) =>
        Array.from(HashMap.values(intents))
          .filter(
            ({ intent: { order, quote, status } }) =>
              order.owner === owner && chainIds.includes(quote.sourceChainId) && status !== "quoted"
          )
          .toSorted((a, b) => b.intent.createdAtMs - a.intent.createdAtMs)
          .slice(0, limit)
          .map(({ intent }) => intent.id)
      ),
    ofTransaction: (hash, _chainIds, limit) =>
      Effect.map(Ref.get(shared), (state) => {
        const carried = transactions(state)
          .filter(({ attempts }) => attempts.some((attempt) => attempt.hash === hash))
          .flatMap((transaction) => [...carriedBy(state, transaction)])
        return [...new Set([...carried, ...endedBy(state, hash)])].toSorted().slice(0, limit)
      }),
    of: (id) =>
      Effect.map(Ref.get(shared), (state) => {
        const stored = lookup(state.intents, id)
        if (stored === undefined) return Option.none()
        const sweepId = state.sweeps.find(({ intentIds }) => intentIds.includes(id))?.id
        return Option.some({
          ...(sweepId === undefined ? {} : { sweepId }),
          history: stored.history ?? [],
          transactions: transactions(state)
            .filter((transaction) => carriedBy(state, transaction).has(id))
            .map((transaction) => toRecorded(state, transaction)),
          messages: HashMap.toEntries(state.outbox)
            .filter(([, { intentId }]) => intentId === id)
            .map(([key, { attempts, id: message, state: is }]) => ({ id: message, key, state: is, attempts }))
            .toSorted((a, b) => Number(a.id) - Number(b.id))
        })
      })
  })
)

/** Shares its state with the other in-memory stores that are built together with it. */
export const layer = Layer.effect(SweepRecords, make).pipe(Layer.provide(OrchestratorState.layer))
