/** Read-only view of all that the service recorded about a sweep, for the operator. */
import { Context, type Effect, type Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Hash } from "../../domain/Hex.ts"
import type { ReachedStatus } from "../../domain/Intent.ts"
import type { Attempt, Inclusion, RelayTransaction } from "./RelayTransactions.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

/** A status that an intent reached. */
export interface Passage {
  readonly status: ReachedStatus
  readonly atMs: number
  /** Transaction that settled or delivered it. */
  readonly txHash?: Hash
  readonly reason?: string
  /** Human-readable detail of a failure. */
  readonly detail?: string
}

/** A transaction that carries or carried an intent. */
export interface RecordedTransaction extends Pick<
  RelayTransaction,
  "id" | "chainId" | "lane" | "nonce" | "kind" | "status" | "createdAtMs"
> {
  /** Number of intents that it carried, with those that were detached. */
  readonly intents: number
  /** Oldest first. Those of an old transaction may be deleted. */
  readonly attempts: ReadonlyArray<Omit<Attempt, "raw">>
  readonly inclusion?: Inclusion
  /** Cost in wei that its lane paid. Absent before it is final. */
  readonly cost?: bigint
}

/** A message for the builder backend. Delivered messages are deleted for their age. */
export interface RecordedMessage {
  readonly id: string
  /** Idempotency key: kind, colon, and the id of the settlement or event. */
  readonly key: string
  readonly state: "pending" | "delivered" | "rejected"
  /** Number of failed deliveries. */
  readonly attempts: number
}

export interface SweepRecord {
  /** The batch that its owner signed, if it is one of several. */
  readonly sweepId?: string
  /** Oldest first. Deleted for its age. */
  readonly history: ReadonlyArray<Passage>
  /** Oldest first. */
  readonly transactions: ReadonlyArray<RecordedTransaction>
  /** Oldest first. */
  readonly messages: ReadonlyArray<RecordedMessage>
}

export class SweepRecords extends Context.Service<
  SweepRecords,
  {
    /** Ids of the owner's signed intents from these chains, newest first, at most `limit`. Any number of quotes may stand beside them. */
    readonly ofOwner: (
      owner: Address.Address,
      chainIds: ReadonlyArray<ChainId>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<string>, StoreUnavailable>
    /**
     * Ids of the intents that any version of a transaction with this hash carries or carried, that it delivered, or whose deposit it
     * returned on one of these chains. At most `limit`.
     */
    readonly ofTransaction: (
      hash: Hash,
      chainIds: ReadonlyArray<ChainId>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<string>, StoreUnavailable>
    /** The record of an intent; none if the id is unknown. */
    readonly of: (id: string) => Effect.Effect<Option.Option<SweepRecord>, StoreUnavailable>
  }
>()("sweep/ports/SweepRecords") {}
