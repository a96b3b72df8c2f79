/**
 * Every transaction that the relayer ever signed. A row is one nonce of one lane; its attempts are the versions of it that
 * were signed with rising fees. Bytes are stored before they leave, so an unknown send is repeated with the same bytes.
 */
import { Context, type Effect, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Hash, Hex } from "../../domain/Hex.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

export interface Attempt {
  readonly hash: Hash
  readonly raw: Hex
  /** Wei per gas. */
  readonly maxFeePerGas: bigint
  /** Wei per gas. */
  readonly maxPriorityFeePerGas: bigint
  readonly signedAtMs: number
  /** When the node last took it or was last asked to; absent until the first broadcast. */
  readonly broadcastAtMs?: number
}

export interface Inclusion {
  readonly hash: Hash
  readonly blockNumber: bigint
  readonly blockHash: Hash
}

/**
 * `pending`: not known to be in a block. `mined`: in a block that may still be reorganised away. `final`: done with.
 */
export type RelayTransactionStatus = "pending" | "mined" | "final"

export interface RelayTransaction {
  readonly id: string
  readonly chainId: ChainId
  readonly lane: Address.Address
  readonly nonce: bigint
  /** `sweep` carries intents; `cancel` is a self-send that fills a nonce whose sweep must not happen any more. */
  readonly kind: "sweep" | "cancel"
  /** The intents it carries, in the order of the batch; detached ones are not among them any more. */
  readonly intentIds: ReadonlyArray<string>
  readonly status: RelayTransactionStatus
  /** Oldest first, at least one. */
  readonly attempts: ReadonlyArray<Attempt>
  readonly inclusion?: Inclusion
  /** It was final, and then lost its block: its intents have moved on, and it is sent again so that they stay true. */
  readonly reopened?: true
  /** The latest deadline (UNIX seconds) of its intents that are still `submitted`, or of all where it was reopened; absent when there is none. */
  readonly wantedUntil?: bigint
  readonly createdAtMs: number
}

/** How a transaction ended. */
export interface Ending {
  readonly id: string
  /** The block that holds it; none where another transaction took its nonce. */
  readonly inclusion?: Inclusion
  /** Wei that its lane paid for it; nothing unless told. */
  readonly cost?: bigint
}

/** An intent is no longer `submitted`, or an unfinished transaction carries it or another one of its owner. */
export class IntentTaken extends Schema.TaggedError<IntentTaken>()("IntentTaken", {
  intentIds: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `already carried by another transaction: ${this.intentIds.join(", ")}`
  }
}

export class RelayTransactions extends Context.Service<
  RelayTransactions,
  {
    /**
     * Allocates the lane's next nonce, max(chain nonce, highest stored + 1), has it signed, and stores the signed bytes and
     * the link to the intents (whose `txHash` becomes the attempt's), all in one database transaction that holds the lane's
     * lock. When it returns, the bytes may be broadcast; when it fails, no nonce is used. Without intents it is a `cancel`.
     */
    readonly allocate: <E>(options: {
      readonly chainId: ChainId
      readonly lane: Address.Address
      /** The lane's transaction count on chain. */
      readonly chainNonce: bigint
      readonly intentIds: ReadonlyArray<string>
      /** Wei that it may cost at most; counts as spent until its end tells. Nothing unless told. */
      readonly reserve?: bigint
      readonly sign: (nonce: bigint) => Effect.Effect<Attempt, E>
    }) => Effect.Effect<RelayTransaction, E | IntentTaken | StoreUnavailable>
    /**
     * Stores another version of the same nonce, before it is broadcast; `cancel` turns a sweep into a self-send. The hash of
     * a sweep becomes the `txHash` of the intents it carries.
     */
    readonly addAttempt: (
      id: string,
      attempt: Attempt,
      kind: RelayTransaction["kind"]
    ) => Effect.Effect<void, StoreUnavailable>
    /** Notes that the attempt was handed to a node now. */
    readonly markBroadcast: (hash: Hash) => Effect.Effect<void, StoreUnavailable>
    /** Notes the block that holds the transaction; without one, that the block vanished in a reorg. Not once final. */
    readonly setInclusion: (id: string, inclusion: Inclusion | undefined) => Effect.Effect<void, StoreUnavailable>
    /**
     * The watcher is done with them: their blocks are deep enough and their intents have moved on. An intent that is still
     * `submitted` can be claimed again. Changes nothing of what is final already.
     */
    readonly finalize: (endings: ReadonlyArray<Ending>) => Effect.Effect<void, StoreUnavailable>
    /** Final ones of a chain that are noted to be in this block or a later one, with the block. */
    readonly finalFrom: (
      chainId: ChainId,
      blockNumber: bigint
    ) => Effect.Effect<
      ReadonlyArray<Pick<RelayTransaction, "id"> & { readonly inclusion: Inclusion }>,
      StoreUnavailable
    >
    /**
     * Makes final ones pending again, as a reorganisation deeper than the chain's confirmations did. They carry the intents
     * that they settled, which stay as they are.
     */
    readonly reopen: (ids: ReadonlyArray<string>) => Effect.Effect<void, StoreUnavailable>
    /** Detaches intents that their transaction did not settle, so that they can be claimed again. */
    readonly detach: (id: string, intentIds: ReadonlyArray<string>) => Effect.Effect<void, StoreUnavailable>
    /** Wei that a chain's transactions cost since the hour of `sinceMs`, with what the unfinished ones reserve. */
    readonly spending: (chainId: ChainId, sinceMs: number) => Effect.Effect<bigint, StoreUnavailable>
    /** Everything of a chain that is not final, by lane and nonce. */
    readonly unfinished: (chainId: ChainId) => Effect.Effect<ReadonlyArray<RelayTransaction>, StoreUnavailable>
  }
>()("sweep/ports/RelayTransactions") {}
