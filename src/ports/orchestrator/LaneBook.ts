/** States of lanes, the transactions that move their rest away, and the record of who changed what. All replicas share it. */
import { Context, type Effect, type Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { LaneState, OperatorRecord } from "../../domain/LaneState.ts"
import type { NewOperatorRecord } from "../shared/Overrides.ts"
import type { SignedTransaction } from "../shared/Transaction.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

export interface LaneRecord {
  readonly state: LaneState
  /** UNIX milliseconds of the last change. */
  readonly sinceMs: number
}

/** A stored transfer of a lane's rest. */
export interface Withdrawal extends SignedTransaction {
  readonly chainId: ChainId
  readonly lane: Address.Address
  readonly nonce: bigint
  readonly recipient: Address.Address
  /** Wei. */
  readonly amount: bigint
}

export class LaneBook extends Context.Service<
  LaneBook,
  {
    /** Lanes that were changed. All others are active. */
    readonly states: Effect.Effect<ReadonlyMap<Address.Address, LaneRecord>, StoreUnavailable>
    /** Transactions of a lane that are not final, by chain. */
    readonly inFlight: (lane: Address.Address) => Effect.Effect<ReadonlyMap<ChainId, number>, StoreUnavailable>
    /**
     * Changes the state of a lane from `from`, and records it in the same step. False if the state is another one by now, if
     * transactions are in flight and it is to be retired, or if an active lane is to leave use and none of `others` is active. Changes follow
     * each other, so two of them never take the last two lanes. Default of `others`: no other lane must be active.
     */
    readonly move: (
      lane: Address.Address,
      from: LaneState,
      to: LaneState,
      record: NewOperatorRecord,
      others?: ReadonlyArray<Address.Address>
    ) => Effect.Effect<boolean, StoreUnavailable>
    /** The stored transfer with a nonce. */
    readonly withdrawal: (
      chainId: ChainId,
      lane: Address.Address,
      nonce: bigint
    ) => Effect.Effect<Option.Option<Withdrawal>, StoreUnavailable>
    /** Highest nonces of the stored transfers of a lane, by chain. */
    readonly lastWithdrawals: (lane: Address.Address) => Effect.Effect<ReadonlyMap<ChainId, bigint>, StoreUnavailable>
    /**
     * Stores a transfer of a retired lane before it is sent, and records it. Returns the stored one of the nonce, which may be
     * another's. None if the lane is no longer retired: then nothing is stored.
     */
    readonly withdraw: (
      withdrawal: Withdrawal,
      record: NewOperatorRecord
    ) => Effect.Effect<Option.Option<Withdrawal>, StoreUnavailable>
    /** Records a change that is no lane's, before it is made. */
    readonly note: (record: NewOperatorRecord) => Effect.Effect<void, StoreUnavailable>
    /** Up to `limit` records, newest first. */
    readonly log: (limit: number) => Effect.Effect<ReadonlyArray<OperatorRecord>, StoreUnavailable>
  }
>()("sweep/ports/LaneBook") {}
