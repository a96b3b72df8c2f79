/** The durable record of every quote and sweep: the queue that the relayer works on, and the truth that clients read. */
import { Context, type Effect, type Option, Schema, type Stream } from "effect"
import type { OutboxMessage } from "../../domain/Accrual.ts"
import type * as Address from "../../domain/Address.ts"
import type { PayoutMode } from "../../domain/Builder.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Authorization } from "../../domain/Delegation.ts"
import type { Hash, Hex } from "../../domain/Hex.ts"
import type { FailureReason, IllegalTransition, IntentStatus, ProgressEvent } from "../../domain/Intent.ts"
import type { Quote } from "../../domain/Quote.ts"
import type { SweepOrder } from "../../domain/SweepOrder.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

/** What a quote locks in. */
export interface NewIntent {
  readonly quote: Quote
  readonly order: SweepOrder
  /** EIP-712 digest of the order under the source chain's domain; unique. */
  readonly orderDigest: Hash
  /** The source chain's block when the order was made: its settlement cannot lie before. */
  readonly quotedAtBlock: bigint
  /** Gas that the simulated sweep used, a fresh delegation included. */
  readonly gas: bigint
  readonly userId: string
  readonly attributed?: { readonly builderId: string; readonly payoutMode: PayoutMode }
}

/** What an owner signed. */
export interface Submission {
  readonly signature: Hex
  readonly authorization: Authorization
}

export interface Intent extends NewIntent {
  readonly id: string
  readonly status: IntentStatus
  readonly submission?: Submission
  readonly submittedAtMs?: number
  /** The newest broadcast, or the settling, transaction on the source chain. */
  readonly txHash?: Hash
  /** The transaction that delivered on the destination chain. */
  readonly deliveryTxHash?: Hash
  readonly failureReason?: FailureReason
  readonly failureDetail?: string
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

/** What its client is told of an intent. */
export interface IntentState extends Pick<Intent, "id" | "status" | "txHash" | "deliveryTxHash" | "failureReason"> {
  readonly crossChain: boolean
}

/** How many sweeps failed at the relayer's cost (`BURNING`), by owner and by builder id; absent for none. */
export interface Burned {
  readonly owners: ReadonlyMap<string, number>
  readonly builders: ReadonlyMap<string, number>
}

/** One intent's part of a bulk progress. */
export interface Step {
  readonly id: string
  readonly events: ReadonlyArray<ProgressEvent>
  readonly outbox?: ReadonlyArray<OutboxMessage>
  readonly detail?: string
}

/** Two quotes may not share an id, an order digest or an (owner, chain, nonce). */
export class IntentExists extends Schema.TaggedError<IntentExists>()("IntentExists", { id: Schema.String }) {}

/**
 * Whatever moves an attributed intent (`submit`, `apply`, `applyAll`) writes in the same transaction what its builder is told
 * (`SweepEvent`), for each status that is passed: the store does so itself, so that no status can change without it.
 */
export class Intents extends Context.Service<
  Intents,
  {
    /**
     * Issues the next order nonce of an owner on a chain; never the same twice, also between processes. `atLeast` moves the
     * counter past nonces that the chain says are spent.
     */
    readonly nextOrderNonce: (
      chainId: ChainId,
      owner: Address.Address,
      atLeast: bigint
    ) => Effect.Effect<bigint, StoreUnavailable>
    readonly create: (intent: NewIntent) => Effect.Effect<void, IntentExists | StoreUnavailable>
    readonly find: (id: string) => Effect.Effect<Option.Option<Intent>, StoreUnavailable>
    /** What is told of those among the ids that are known, in any order; one indexed read for all of them. */
    readonly states: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<IntentState>, StoreUnavailable>
    /**
     * Moves `quoted` to `submitted` with the owner's signatures. However many try at once, one succeeds; the others get
     * `IllegalTransition`. Durable when it returns, and wakes the relayers of every process. The id must be known.
     */
    readonly submit: (id: string, submission: Submission) => Effect.Effect<Intent, IllegalTransition | StoreUnavailable>
    /**
     * Leases up to `limit` submitted intents of a chain that no relay transaction carries, oldest first, at most one per
     * owner and none for an owner who has another one in flight there: carried by an unfinished relay transaction, or leased.
     * A lease ends by itself, so a dead worker loses nothing.
     */
    readonly claim: (options: {
      readonly chainId: ChainId
      readonly worker: string
      readonly leaseMillis: number
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<Intent>, StoreUnavailable>
    /**
     * Gives leases back, so that another worker need not wait until they end; `notBeforeMs` delays the next attempt. Leaves
     * alone what a relay transaction carries meanwhile.
     */
    readonly release: (ids: ReadonlyArray<string>, notBeforeMs?: number) => Effect.Effect<void, StoreUnavailable>
    /**
     * Applies events in order, all or none, with their consequences in the same transaction: status, event rows, outbox rows.
     * `IllegalTransition` when the intent is not where the first event needs it, e.g. since another process was faster. The id must be known.
     */
    readonly apply: (
      id: string,
      events: ReadonlyArray<ProgressEvent>,
      consequences?: { readonly outbox?: ReadonlyArray<OutboxMessage>; readonly detail?: string }
    ) => Effect.Effect<Intent, IllegalTransition | StoreUnavailable>
    /**
     * As {@link apply} for each of many intents, which all must be known: each all or none, and nothing at all when it fails.
     * Returns the ids that moved; the others were not where their first event needs them, as when another process was faster.
     */
    readonly applyAll: (steps: ReadonlyArray<Step>) => Effect.Effect<ReadonlySet<string>, StoreUnavailable>
    /** Those of the ids that are known, in any order. */
    readonly findAll: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Intent>, StoreUnavailable>
    /** What failed at the relayer's cost after `sinceMs`, of these owners on a chain, and of these builders anywhere. */
    readonly burned: (query: {
      readonly chainId: ChainId
      readonly owners: ReadonlyArray<Address.Address>
      readonly builders: ReadonlyArray<string>
      readonly sinceMs: number
    }) => Effect.Effect<Burned, StoreUnavailable>
    /** Submitted intents of a source chain that no relay transaction carries and whose deadline (UNIX seconds) is before. */
    readonly overdue: (
      chainId: ChainId,
      before: bigint,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Intent>, StoreUnavailable>
    /** Intents of a source chain in one of the statuses, oldest first. */
    readonly inStatus: (
      chainId: ChainId,
      statuses: ReadonlyArray<IntentStatus>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Intent>, StoreUnavailable>
    /** How many intents there are in each status, for the operator. */
    readonly counts: Effect.Effect<Readonly<Record<IntentStatus, number>>, StoreUnavailable>
    /** Emits when there may be something to claim, in this process or another. Best effort: claim on a timer as well. */
    readonly wakes: Stream.Stream<void>
  }
>()("sweep/ports/Intents") {}
