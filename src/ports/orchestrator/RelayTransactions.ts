/**
 * Every transaction that the relayer has signed. A transaction is one nonce of one lane; its attempts are the versions
 * of it that were signed with rising fees.
 *
 * Signed bytes are stored before they are broadcast, so a send with an unknown outcome is repeated with the same bytes.
 */
import { Context, type Effect, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { UsdPrice } from "../../domain/Fees.ts"
import type { Hash, Hex } from "../../domain/Hex.ts"
import type { StoreUnavailable } from "../shared/Store.ts"
import type { Booking, Outcome } from "./Exposures.ts"

/** One signed version of a transaction. */
export interface Attempt {
  readonly hash: Hash
  /** Serialized signed transaction. */
  readonly raw: Hex
  /** Wei per gas. */
  readonly maxFeePerGas: bigint
  /** Wei per gas. */
  readonly maxPriorityFeePerGas: bigint
  /** Time of the last signature in UNIX milliseconds. */
  readonly signedAtMs: number
  /** Time of the last broadcast in UNIX milliseconds. Absent before the first. */
  readonly broadcastAtMs?: number
}

/** A block that includes a transaction, and the version that it includes. */
export interface Inclusion {
  readonly hash: Hash
  readonly blockNumber: bigint
  readonly blockHash: Hash
}

/** Loss of the block of a transaction that was final or had settled sweeps. */
export interface Reopening {
  readonly atMs: number
  /** Hash of the version that the block included. */
  readonly hash: Hash
}

/** `pending`: not known to be in a block. `mined`: in a block that a reorg may still remove. `final`: finished. */
export type RelayTransactionStatus = "pending" | "mined" | "final"

export interface RelayTransaction {
  readonly id: string
  readonly chainId: ChainId
  readonly lane: Address.Address
  readonly nonce: bigint
  /** `sweep` carries intents. `cancel` is a self-send that uses up a nonce whose sweep must no longer run. */
  readonly kind: "sweep" | "cancel"
  /** Intents that it carries, in the order of the batch, without those that were detached. */
  readonly intentIds: ReadonlyArray<string>
  readonly status: RelayTransactionStatus
  /** In the order in which they were first signed; at least one. */
  readonly attempts: ReadonlyArray<Attempt>
  readonly inclusion?: Inclusion
  /**
   * Present if it had settled sweeps or was final, and then lost its block. It is sent again, so that the statuses of its intents stay true.
   */
  readonly reopened?: Reopening
  /**
   * Latest deadline, in UNIX seconds, of its intents that are still `submitted`, or of all its intents if it was
   * reopened. Absent if there are none.
   */
  readonly wantedUntil?: bigint
  readonly createdAtMs: number
}

/** Outcome of a transaction. */
export interface Ending {
  readonly id: string
  /** Block that includes it. Absent if another transaction used its nonce. */
  readonly inclusion?: Inclusion
  /** Cost in wei that its lane paid. Default: 0. */
  readonly cost?: bigint
  /** Losses and gains of its sweeps. Default: none. */
  readonly bookings?: ReadonlyArray<Booking>
  /** Losses and gains by sweep. Default: none. */
  readonly outcomes?: ReadonlyArray<Outcome>
  /** Price of the chain's currency now. Absent if it is unknown. */
  readonly nativeUsd?: UsdPrice | undefined
  /** Parts of the cost that sweeps bear. Default: none. */
  readonly parts?: ReadonlyArray<CostPart>
}

/** Part of a transaction's cost that a sweep bears. */
export interface CostPart {
  readonly intentId: string
  /** Wei. */
  readonly cost: bigint
  readonly isSettled: boolean
}

/** A stored transaction that does not fit the schema. `detail` says why. */
export interface UnreadableTransaction {
  readonly id: string
  readonly detail: string
}

/** The unfinished transactions of a chain. */
export interface Survey {
  /** Ordered by lane and nonce. */
  readonly transactions: ReadonlyArray<RelayTransaction>
  readonly unreadable: ReadonlyArray<UnreadableTransaction>
}

/** A transaction that is not known to be in a block. */
export interface Pending {
  readonly nonce: bigint
  /** Maximum cost in wei. */
  readonly reserved: bigint
}

/** The transactions of a lane that are not known to be in a block. The lane's next one waits for all of them. */
export interface Front {
  readonly lane: Address.Address
  /** Least of their newest versions, in wei per gas. */
  readonly maxFeePerGas: bigint
  /** Of the oldest. */
  readonly createdAtMs: number
  /** Ordered by nonce. */
  readonly pending: ReadonlyArray<Pending>
}

/** A final transaction without a block. */
export interface DisplacedTransaction extends Pick<RelayTransaction, "id" | "lane" | "nonce"> {
  /** Hashes of its attempts, oldest first. */
  readonly hashes: ReadonlyArray<Hash>
}

/** An intent is no longer `submitted`, or an unfinished transaction carries it or another intent of its owner. */
export class IntentTaken extends Schema.TaggedError<IntentTaken>()("IntentTaken", {
  intentIds: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `already carried by another transaction: ${this.intentIds.join(", ")}`
  }
}

/** The lane takes no new batches (`LaneBook`). */
export class LaneClosed extends Schema.TaggedError<LaneClosed>()("LaneClosed", { lane: Schema.String }) {
  override get message(): string {
    return `lane ${this.lane} takes no new batches`
  }
}

/** The lane has no slot for its next nonce until a block includes some of its transactions. */
export class LaneFull extends Schema.TaggedError<LaneFull>()("LaneFull", {
  lane: Schema.String,
  nonce: Schema.BigInt
}) {
  override get message(): string {
    return `lane ${this.lane} has as many pending transactions as it may, so nonce ${this.nonce} is not used yet`
  }
}

export class RelayTransactions extends Context.Service<
  RelayTransactions,
  {
    /**
     * Allocates the lane's next nonce, max(chain nonce, highest stored + 1), has the transaction signed, and stores the
     * signed bytes and the links to the intents, whose `txHash` becomes the attempt's, all or nothing. When it returns,
     * the bytes may be broadcast; when it fails, no nonce is used. Without intents, the transaction is a `cancel`. A lane
     * that is not active gets no transaction.
     */
    readonly allocate: <E>(options: {
      readonly chainId: ChainId
      readonly lane: Address.Address
      /** Transaction count of the lane on chain. */
      readonly chainNonce: bigint
      /** Nonces from `chainNonce` on that the lane may use. Default: no limit. */
      readonly slots?: bigint
      readonly intentIds: ReadonlyArray<string>
      /** Maximum cost in wei. Counts as spent until the transaction ends. Default: 0. */
      readonly reserve?: bigint
      /**
       * Signs the transaction with the nonce. Runs again with another one if a process with the same lane was faster. A failure takes
       * no nonce.
       */
      readonly sign: (nonce: bigint) => Effect.Effect<Attempt, E>
    }) => Effect.Effect<RelayTransaction, E | IntentTaken | LaneClosed | LaneFull | StoreUnavailable>
    /**
     * Stores another version of the same nonce before it is broadcast. One that is stored already gets the later `signedAtMs`, and keeps
     * its place among the attempts. `cancel` turns a sweep into a self-send; the hash of a `sweep` becomes the `txHash` of the intents that it carries.
     */
    readonly addAttempt: (
      id: string,
      attempt: Attempt,
      kind: RelayTransaction["kind"]
    ) => Effect.Effect<void, StoreUnavailable>
    /** Records that a node received the attempt now. */
    readonly markBroadcast: (hash: Hash) => Effect.Effect<void, StoreUnavailable>
    /** Records the block that includes the transaction. Does nothing if the transaction is final. */
    readonly setInclusion: (id: string, inclusion: Inclusion) => Effect.Effect<void, StoreUnavailable>
    /** Like {@link setInclusion} for many transactions, all or none. */
    readonly setInclusions: (
      included: ReadonlyArray<Pick<RelayTransaction, "id"> & { readonly inclusion: Inclusion }>
    ) => Effect.Effect<void, StoreUnavailable>
    /**
     * Records that a reorg removed the transaction from a block. Returns false, and does nothing, if another block or version is recorded by
     * now, or none: another process was faster.
     */
    readonly clearInclusion: (id: string, inclusion: Inclusion) => Effect.Effect<boolean, StoreUnavailable>
    /**
     * Marks transactions as final with their cost, books the losses of their sweeps and ends the sweeps' reservations.
     * Intents that are still `submitted` can be claimed again. The losses of one that ended before it was reopened are not booked
     * again. Idempotent: ignores transactions that are final already.
     */
    readonly finalize: (endings: ReadonlyArray<Ending>) => Effect.Effect<void, StoreUnavailable>
    /**
     * Final transactions of a chain without a block that ended, or of which a version was signed or sent, after `sinceMs` (UNIX
     * milliseconds), ordered by id: another transaction used the nonce, or their receipt is late.
     */
    readonly displaced: (
      chainId: ChainId,
      sinceMs: number
    ) => Effect.Effect<ReadonlyArray<DisplacedTransaction>, StoreUnavailable>
    /** Records the block and the cost of a final transaction that had no block. Idempotent: ignores all others. */
    readonly recover: (
      ending: Required<Pick<Ending, "id" | "inclusion" | "cost">> & Pick<Ending, "nativeUsd">
    ) => Effect.Effect<void, StoreUnavailable>
    /** Final transactions of a chain that are recorded in this block or a later one. */
    readonly finalFrom: (
      chainId: ChainId,
      blockNumber: bigint
    ) => Effect.Effect<
      ReadonlyArray<Pick<RelayTransaction, "id"> & { readonly inclusion: Inclusion }>,
      StoreUnavailable
    >
    /**
     * Makes transactions pending again that lost their block in a reorg: final ones, and others whose noted block settled sweeps. Takes
     * their cost back. They carry the intents that they had settled; the intents do not change. One that carries any is a `sweep` again.
     * Ignores all others, and those of which another block or version is recorded by now. Returns the ids of those that are reopened.
     */
    readonly reopen: (
      lost: ReadonlyArray<Pick<RelayTransaction, "id"> & { readonly inclusion: Inclusion }>
    ) => Effect.Effect<ReadonlyArray<string>, StoreUnavailable>
    /**
     * Detaches intents that their transaction did not settle. Those still `submitted` can be claimed again. Idempotent. Detached intents
     * of `unsent` that are still `submitted` lose their `txHash`: no node took any version of a transaction with them. Default: none.
     */
    readonly detach: (
      id: string,
      intentIds: ReadonlyArray<string>,
      unsent?: ReadonlyArray<string>
    ) => Effect.Effect<void, StoreUnavailable>
    /**
     * Wei that a chain's transactions cost since the start of the hour of `sinceMs` (UNIX milliseconds), plus the
     * reserves of unfinished ones. Pending ones from before that hour that carry no intents do not count: their nonce may never be used,
     * and if it is, their cost counts then.
     */
    readonly spending: (chainId: ChainId, sinceMs: number) => Effect.Effect<bigint, StoreUnavailable>
    /** The part of {@link spending} that was paid: without the reserves of unfinished transactions. */
    readonly paid: (chainId: ChainId, sinceMs: number) => Effect.Effect<bigint, StoreUnavailable>
    /** One more than the highest nonce of the lane's transactions, without those that ended without a block. 0 without any. */
    readonly nextNonce: (chainId: ChainId, lane: Address.Address) => Effect.Effect<bigint, StoreUnavailable>
    /** The front of each lane of a chain that has one, ordered by lane. */
    readonly fronts: (chainId: ChainId) => Effect.Effect<ReadonlyArray<Front>, StoreUnavailable>
    /** Every readable transaction of a chain that is not final, ordered by lane and nonce. */
    readonly unfinished: (chainId: ChainId) => Effect.Effect<ReadonlyArray<RelayTransaction>, StoreUnavailable>
    /** The same by one query with the transactions that cannot be read, which delay no other. */
    readonly survey: (chainId: ChainId) => Effect.Effect<Survey, StoreUnavailable>
  }
>()("sweep/ports/RelayTransactions") {}
