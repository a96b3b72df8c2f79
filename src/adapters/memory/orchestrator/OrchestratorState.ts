/**
 * State that the orchestrator's in-memory stores share, like the tables of one database: an allocation changes intents, and an
 * intent's progress writes to the outbox. Every change is one atomic step of the state.
 */
import { Context, Effect, HashMap, Layer, Option, PubSub, Ref, Semaphore } from "effect"
import type { Address } from "../../../domain/Address.ts"
import type { OutboxMessage } from "../../../domain/Accrual.ts"
import type { ArrivedInstead, RefundLine } from "../../../domain/BridgeRefund.ts"
import type { ChainId } from "../../../domain/ChainId.ts"
import type { ExposureClass, Window } from "../../../domain/Exposure.ts"
import type { UsdPrice } from "../../../domain/Fees.ts"
import type { WaitingFor } from "../../../domain/Intent.ts"
import type { OperatorRecord } from "../../../domain/LaneState.ts"
import type { PricedUnits } from "../../../domain/QuoteDetails.ts"
import type { GivenUp, Intent } from "../../../ports/orchestrator/Intents.ts"
import type { OutboxEntry } from "../../../ports/orchestrator/Outbox.ts"
import type { NewRefund } from "../../../ports/orchestrator/Refunds.ts"
import type { LaneRecord, Withdrawal } from "../../../ports/orchestrator/LaneBook.ts"
import type { StoredSweep } from "../../../ports/orchestrator/Sweeps.ts"
import type { CostPart, RelayTransaction } from "../../../ports/orchestrator/RelayTransactions.ts"
import type { Passage } from "../../../ports/orchestrator/SweepRecords.ts"

export interface StoredIntent {
  readonly intent: Intent
  readonly leaseUntilMs?: number
  /** Claimer that leased it last. Absent after its release. */
  readonly leaseWorker?: string
  readonly notBeforeMs?: number
  /** Cause for which it was last released. */
  readonly waitingFor?: WaitingFor
  /** Next look for its delivery. Absent before the first look. */
  readonly lookAtMs?: number
  /** Number of looks that found no delivery. */
  readonly looks?: number
  /** Reason for which it is no longer sent, and the time of that decision in UNIX milliseconds. */
  readonly givenUp?: GivenUp & { readonly atMs: number }
  /** The transaction that carries it, or that moved it on from `submitted`. */
  readonly relayTransactionId?: string
  /** Statuses that it reached, oldest first. */
  readonly history?: ReadonlyArray<Passage>
  /** Price of its fee at the settlement. */
  readonly feePrice?: PricedUnits
}

export interface StoredMessage extends OutboxEntry {
  readonly intentId: string
  readonly message: OutboxMessage
  readonly state: "pending" | "delivered" | "rejected"
  readonly dueAtMs: number
  readonly leasedUntilMs?: number | undefined
  /** Absent before it was acknowledged. */
  readonly deliveredAtMs?: number
  /** Absent unless it is rejected. */
  readonly rejectedAtMs?: number | undefined
}

/** A reservation of a sweep. */
export interface StoredExposure {
  readonly wei: bigint
  readonly classes: ReadonlyArray<ExposureClass>
  /** UNIX milliseconds of the reservation. */
  readonly atMs: number
  /** Claims, or else ids of submissions. Empty if the sweep was reserved for neither. */
  readonly holders: ReadonlyArray<string>
}

/** Reserved wei of a class, and its losses and gains by the start of their hour in UNIX milliseconds. */
export interface StoredSums {
  readonly open: bigint
  readonly steps: ReadonlyMap<number, Window>
}

/** A refund that is owed, or was found. */
export interface StoredRefund extends NewRefund {
  readonly lookAtMs: number
  readonly looks: number
  readonly searchFrom?: bigint
  /** The payment. Absent while it is not found. */
  readonly line?: RefundLine
}

export interface State {
  readonly intents: HashMap.HashMap<string, StoredIntent>
  /** By chain and owner. */
  readonly orderNonces: HashMap.HashMap<string, bigint>
  /** By id. Ids increase. */
  readonly transactions: HashMap.HashMap<string, RelayTransaction>
  /** By chain and lane. */
  readonly laneNonces: HashMap.HashMap<string, bigint>
  /** Cost of finished transactions in wei, with their id, their chain and the time when they ended. */
  readonly spending: ReadonlyArray<{
    readonly id: string
    readonly chainId: number
    readonly endedAtMs: number
    readonly wei: bigint
    readonly nativeUsd?: UsdPrice | undefined
    readonly parts?: ReadonlyArray<CostPart>
  }>
  /** Intent ids that a transaction carried when it became final, by the transaction's id. */
  readonly ended: HashMap.HashMap<string, ReadonlyArray<string>>
  /** Intent ids that were detached from a transaction, by the transaction's id. */
  readonly detached: HashMap.HashMap<string, ReadonlyArray<string>>
  /** Maximum cost of unfinished transactions in wei, by their id. */
  readonly reserved: HashMap.HashMap<string, bigint>
  /** By intent id. */
  readonly exposures: HashMap.HashMap<string, StoredExposure>
  readonly exposureSums: HashMap.HashMap<ExposureClass, StoredSums>
  /** By idempotency key. */
  readonly outbox: HashMap.HashMap<string, StoredMessage>
  /** By intent id. */
  readonly arrivals: HashMap.HashMap<string, ArrivedInstead>
  /** By intent id. */
  readonly refunds: HashMap.HashMap<string, StoredRefund>
  /** Oldest first. */
  readonly sweeps: ReadonlyArray<StoredSweep>
  readonly laneStates: ReadonlyMap<Address, LaneRecord>
  readonly withdrawals: ReadonlyArray<Withdrawal>
  /** Newest first. */
  readonly operatorLog: ReadonlyArray<OperatorRecord>
}

const empty: State = {
  intents: HashMap.empty(),
  orderNonces: HashMap.empty(),
  transactions: HashMap.empty(),
  laneNonces: HashMap.empty(),
  spending: [],
  ended: HashMap.empty(),
  detached: HashMap.empty(),
  reserved: HashMap.empty(),
  exposures: HashMap.empty(),
  exposureSums: HashMap.empty(),
  outbox: HashMap.empty(),
  arrivals: HashMap.empty(),
  refunds: HashMap.empty(),
  sweeps: [],
  laneStates: new Map(),
  withdrawals: [],
  operatorLog: []
}

export class OrchestratorState extends Context.Service<
  OrchestratorState,
  {
    readonly state: Ref.Ref<State>
    /** Chains of intents that were submitted. */
    readonly wakes: PubSub.PubSub<ChainId>
    /** Held while a transaction is allocated and signed. */
    readonly allocating: Semaphore.Semaphore
  }
>()("sweep/adapters/memory/OrchestratorState") {
  static readonly layer = Layer.effect(
    OrchestratorState,
    Effect.all({
      state: Ref.make(empty),
      wakes: PubSub.sliding<ChainId>(64),
      allocating: Semaphore.make(1)
    })
  )
}

export const lookup = <A>(map: HashMap.HashMap<string, A>, key: string): A | undefined =>
  Option.getOrUndefined(HashMap.get(map, key))

/** Key of an account on a chain. */
export const account = (chainId: number, address: string): string => `${chainId}:${address}`

export const withIntent = (state: State, stored: StoredIntent): State => ({
  ...state,
  intents: HashMap.set(state.intents, stored.intent.id, stored)
})

export const unleased = ({
  leaseUntilMs: _until,
  leaseWorker: _worker,
  notBeforeMs: _notBefore,
  ...stored
}: StoredIntent): StoredIntent => stored

/** As {@link unleased}, and without the cause for which it waited. */
export const unwaiting = (stored: StoredIntent): StoredIntent => {
  const { waitingFor: _cause, ...rest } = unleased(stored)
  return rest
}

/** True when an unfinished transaction carries an intent of the owner on the chain. */
export const carriesOwner = (state: State, chainId: number, owner: string): boolean =>
  Array.from(HashMap.values(state.transactions)).some(
    (transaction) =>
      transaction.status !== "final" &&
      transaction.reopened === undefined &&
      transaction.chainId === chainId &&
      transaction.intentIds.some((id) => {
        const stored = lookup(state.intents, id)
        return stored !== undefined && stored.intent.order.owner === owner
      })
  )
