/** Durable record of every quote and sweep: the relayer's queue, and the source of every response about a sweep. */
import { Context, type Effect, type Option, Schema, type Stream } from "effect"
import type { OutboxMessage } from "../../domain/Accrual.ts"
import type * as Address from "../../domain/Address.ts"
import type { ArrivedInstead, Refund } from "../../domain/BridgeRefund.ts"
import type { PayoutMode } from "../../domain/Builder.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Hash } from "../../domain/Hex.ts"
import type { FeeCover } from "../../domain/FeeCover.ts"
import type { FailureReason, IllegalTransition, IntentStatus, ProgressEvent, WaitingFor } from "../../domain/Intent.ts"
import type { Quote } from "../../domain/Quote.ts"
import type { PricedUnits } from "../../domain/QuoteDetails.ts"
import type { SweepOrder } from "../../domain/SweepOrder.ts"
import type { Traced } from "../../domain/TraceContext.ts"
import type { StoreUnavailable } from "../shared/Store.ts"
import type { Searches } from "./Searches.ts"
import type { Submission } from "./Submission.ts"
import type { NewSweep, StoredSweep } from "./Sweeps.ts"

/** Terms that a quote fixes, with the trace of the request that quoted it. */
export interface NewIntent extends Traced {
  readonly quote: Quote
  readonly order: SweepOrder
  /** EIP-712 digest of the order under the source chain's domain. Unique. */
  readonly orderDigest: Hash
  /** Latest block of the source chain when the order was created. Its settlement cannot be in an earlier block. */
  readonly quotedAtBlock: bigint
  /** Gas of the sweep's execution at most: that of its rehearsal with the margin, and `dataGas` with it. */
  readonly gas: bigint
  /** Part of `gas` that the chain takes for the data of the transaction, before anything runs. Absent: 0. */
  readonly dataGas?: bigint
  /** True if it is rehearsed and sent as one that runs code of strangers (`domain/Listing`). Absent: false. */
  readonly runsOthersCode?: boolean
  /** Cost that the network fee covers. Absent in quotes of releases that did not store it. */
  readonly cover?: FeeCover
  readonly userId: string
  /** The builder that earns the markup. Absent for none. */
  readonly attributed?: { readonly builderId: string; readonly payoutMode: PayoutMode }
}

export interface Intent extends NewIntent {
  readonly id: string
  readonly status: IntentStatus
  readonly submission?: Submission
  /** Network of the client that submitted it, /24 of IPv4 or /64 of IPv6. Absent if it is unknown. */
  readonly network?: string
  readonly submittedAtMs?: number
  /** The newest broadcast transaction on the source chain, or the one that settled the order. */
  readonly txHash?: Hash
  /** Transaction that delivered on the destination chain. Absent while it is not found, see {@link Intents.fillsDue}. */
  readonly deliveryTxHash?: Hash
  /** Amount that arrived, in the smallest unit of the output token. Absent while it is not known. */
  readonly amountOut?: bigint
  readonly failureReason?: FailureReason
  /** Human-readable detail of the failure. */
  readonly failureDetail?: string
  /** Stores a quote with status `quoted`. */
  readonly createdAtMs: number
  readonly updatedAtMs: number
  /** Searches of logs that take several looks. */
  readonly searches?: Searches
}

/** Fields of an intent that its client sees. */
export interface IntentState extends Pick<
  Intent,
  "id" | "status" | "txHash" | "deliveryTxHash" | "amountOut" | "failureReason"
> {
  readonly crossChain: boolean
  /** Payment by which the bridge returned the deposit, if it is found. */
  readonly refund?: Refund
  readonly arrivedInstead?: ArrivedInstead
  /** Cause for which a submitted intent waits in the queue. Absent if there is none to tell. */
  readonly waitingFor?: WaitingFor
}

/** Sweeps that failed, or were given up, at the relayer's cost (`BURNING`). Absent for zero. */
export type Burned = Readonly<Record<"owners" | "builders", ReadonlyMap<string, number>>>

/** Events of one intent in a bulk update. */
export interface Step {
  readonly id: string
  readonly events: ReadonlyArray<ProgressEvent>
  /** Messages for the builder backend, stored with the change. */
  readonly outbox?: ReadonlyArray<OutboxMessage>
  /** Human-readable detail of a failure. */
  readonly detail?: string
  /** Price of the token of the fees at the settlement. Absent if it is unknown. */
  readonly feePrice?: PricedUnits
}

/** Options of `release`. */
export interface Release {
  /** UNIX milliseconds before which the intents cannot be claimed. Default: they can be claimed at once. */
  readonly notBeforeMs?: number | undefined
  /** Cause that is shown until the next release, or until a transaction carries the intent. Default: none. */
  readonly waitingFor?: WaitingFor | undefined
  /** Name of the claimer. Default: releases the leases of all claimers. */
  readonly worker?: string | undefined
}

/** Reason for which a submitted intent is no longer sent. */
export interface GivenUp {
  readonly reason: FailureReason
  readonly detail: string
}

/** A settled cross-chain intent whose delivery, or its transaction, is to be looked for. */
export interface DueDelivery {
  readonly intent: Intent
  /** Number of looks that did not find it. */
  readonly looks: number
}

/** An intent has the same id, the same order digest, or the same owner, chain and nonce. */
export class IntentExists extends Schema.TaggedError<IntentExists>()("IntentExists", { id: Schema.String }) {}

/**
 * Every operation that moves an attributed intent (`submit`, `apply`, `applyAll`) stores the builder's `SweepEvent` for
 * each status that the intent passes, in the same transaction. No status changes without its event.
 */
export class Intents extends Context.Service<
  Intents,
  {
    /**
     * Issues the next `count` order nonces of an owner on a chain, which follow each other, and returns the first. Default: 1. Never
     * issues a nonce twice, also across processes. The first is at least `atLeast`, which skips nonces that the chain reports as spent.
     */
    readonly nextOrderNonce: (
      chainId: ChainId,
      owner: Address.Address,
      atLeast: bigint,
      count?: number
    ) => Effect.Effect<bigint, StoreUnavailable>
    readonly create: (intent: NewIntent) => Effect.Effect<void, IntentExists | StoreUnavailable>
    /** The intent; none if the id is unknown. */
    readonly find: (id: string) => Effect.Effect<Option.Option<Intent>, StoreUnavailable>
    /** States of the known ones among the ids, in any order, by one indexed read. */
    readonly states: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<IntentState>, StoreUnavailable>
    /** Quotes of the known ones among the ids, by id. They never change. */
    readonly quotes: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, Quote>, StoreUnavailable>
    /**
     * Moves `quoted` to `submitted` with the owner's signatures and wakes the relayers of every process; durable when
     * it returns. `waitingFor` is shown as that of `release` is. Of any number of concurrent calls, one succeeds and the
     * rest fail with `IllegalTransition`. The id must be known.
     */
    readonly submit: (
      id: string,
      submission: Submission,
      /** Network of the client. */
      network?: string,
      waitingFor?: WaitingFor
    ) => Effect.Effect<Intent, IllegalTransition | StoreUnavailable>
    /** As {@link submit} for all legs of a batch, with the sweep: all or none. Every id must be known. */
    readonly submitSweep: (sweep: NewSweep) => Effect.Effect<void, IllegalTransition | StoreUnavailable>
    /** The sweep; none if the id is unknown. */
    readonly findSweep: (id: string) => Effect.Effect<Option.Option<StoredSweep>, StoreUnavailable>
    /** Up to `limit` sweeps of an owner, newest first. `before`: only those with a lower number. */
    readonly sweepsOf: (
      owner: Address.Address,
      page: { readonly limit: number; readonly before?: bigint | undefined }
    ) => Effect.Effect<ReadonlyArray<StoredSweep>, StoreUnavailable>
    /**
     * Leases up to `limit` submitted intents of a chain that no relay transaction carries. Takes at most
     * one intent of an owner with the other legs of its sweep that may be claimed, and none if the owner has another intent in
     * flight on the chain: leased, or carried by an unfinished relay transaction. A sweep is not divided, so one with more legs
     * than `limit` is claimed alone. An intent whose lease ended can be claimed again.
     */
    readonly claim: (options: {
      readonly chainId: ChainId
      /** Name of the claimer, see `release`. */
      readonly worker: string
      readonly leaseMillis: number
      readonly limit: number
      /**
       * `oldest`: the oldest first. `fresh`: first those that were not released with `notBeforeMs`. Of those that were, only `limit`
       * are looked at, the ones whose `notBeforeMs` is earliest. Default: `oldest`.
       */
      readonly order?: "oldest" | "fresh"
    }) => Effect.Effect<ReadonlyArray<Intent>, StoreUnavailable>
    /**
     * Ends leases early. Ignores intents that a relay transaction carries by now. With `worker`, it also ignores those that another
     * claimer has leased or put off since: a worker that was stopped may outlive its lease.
     */
    readonly release: (ids: ReadonlyArray<string>, options?: Release) => Effect.Effect<void, StoreUnavailable>
    /** Number of queued intents of a chain that were last released with this cause. */
    readonly waiting: (chainId: ChainId, cause: WaitingFor) => Effect.Effect<number, StoreUnavailable>
    /**
     * Records why a submitted intent is no longer sent. It cannot be claimed before `notBeforeMs` (UNIX milliseconds),
     * also after a transaction that carries it lets it go. A later reason replaces an earlier one. Ignores intents that
     * are not `submitted` any more. With `worker`, the name of the claimer, it also ignores those that a relay transaction carries by
     * now, and those that another claimer has leased or put off since. Returns true if it has recorded the reason.
     */
    readonly giveUp: (
      id: string,
      why: GivenUp & { readonly notBeforeMs: number; readonly worker?: string | undefined }
    ) => Effect.Effect<boolean, StoreUnavailable>
    /** Reason for which an intent was given up; none if it was not. */
    readonly givenUp: (id: string) => Effect.Effect<Option.Option<GivenUp>, StoreUnavailable>
    /** Reasons for which intents were given up, by id. Ids of others are absent. */
    readonly givenUpReasons: (
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, FailureReason>, StoreUnavailable>
    /**
     * Applies events in order with their consequences in one transaction, all or none: status, history, outbox.
     * `IllegalTransition` if an event is illegal, e.g. since another process was faster. The id must be known.
     */
    readonly apply: (
      id: string,
      events: ReadonlyArray<ProgressEvent>,
      consequences?: { readonly outbox?: ReadonlyArray<OutboxMessage>; readonly detail?: string }
    ) => Effect.Effect<Intent, IllegalTransition | StoreUnavailable>
    /**
     * Like {@link apply} for many intents in one transaction; every id must be known. Each step is applied completely
     * or, if its events are illegal, not at all. Returns the ids that moved. On `StoreUnavailable` nothing moved.
     */
    readonly applyAll: (steps: ReadonlyArray<Step>) => Effect.Effect<ReadonlySet<string>, StoreUnavailable>
    /** Corrects what events say of the transaction of settled intents, after a reorganisation. Ignores intents that have not settled. */
    readonly resettle: (steps: ReadonlyArray<Step>) => Effect.Effect<void, StoreUnavailable>
    /** The known ones among the ids, in any order. */
    readonly findAll: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Intent>, StoreUnavailable>
    /**
     * Failures at the relayer's cost after `sinceMs` (UNIX milliseconds): of these owners on the chain, and of these
     * builders, by id, on all chains. An intent counts from the time when it was given up.
     */
    readonly burned: (query: {
      readonly chainId: ChainId
      readonly owners: ReadonlyArray<Address.Address>
      readonly builders: ReadonlyArray<string>
      readonly sinceMs: number
    }) => Effect.Effect<Burned, StoreUnavailable>
    /** True if a sweep of the owner from one of the chains has ever settled at its source, regardless of the number of later orders. */
    readonly hasSettled: (
      owner: Address.Address,
      chainIds: ReadonlyArray<ChainId>
    ) => Effect.Effect<boolean, StoreUnavailable>
    /** Those of the owners of whom a sweep from the chain has ever settled at its source, regardless of the number of later orders. */
    readonly settledOf: (
      chainId: ChainId,
      owners: ReadonlyArray<Address.Address>
    ) => Effect.Effect<ReadonlySet<Address.Address>, StoreUnavailable>
    /**
     * Up to `limit` submitted intents of a source chain that no relay transaction carries and whose deadline is before
     * `before` (UNIX seconds), earliest deadline first. `from`: only those with this deadline or a later one, and without these ids.
     */
    readonly overdue: (
      chainId: ChainId,
      before: bigint,
      limit: number,
      from?: { readonly deadline: bigint; readonly without: ReadonlyArray<string> }
    ) => Effect.Effect<ReadonlyArray<Intent>, StoreUnavailable>
    /** Up to `limit` intents of a source chain in one of the statuses, oldest first. */
    readonly inStatus: (
      chainId: ChainId,
      statuses: ReadonlyArray<IntentStatus>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Intent>, StoreUnavailable>
    /**
     * Up to `limit` intents from one chain to another in the status `settled_source` whose next look is due, longest due
     * first. The first look is due at the settlement.
     */
    readonly deliveriesDue: (
      chainId: ChainId,
      destChainId: ChainId,
      limit: number
    ) => Effect.Effect<ReadonlyArray<DueDelivery>, StoreUnavailable>
    /**
     * Up to `limit` intents from one chain to another that were delivered less than a week ago without a transaction and whose
     * next look is due, longest due first.
     */
    readonly fillsDue: (
      chainId: ChainId,
      destChainId: ChainId,
      limit: number
    ) => Effect.Effect<ReadonlyArray<DueDelivery>, StoreUnavailable>
    /**
     * Records the transaction of a delivery that has none yet, and the amount of the output token that arrived, if it did. Ignores any
     * other intent.
     */
    readonly noteFill: (id: string, txHash: Hash, amountOut?: bigint) => Effect.Effect<void, StoreUnavailable>
    /** Replaces the given searches of an intent. A search that is undefined is forgotten. */
    readonly noteSearches: (
      id: string,
      searches: { readonly [K in keyof Searches]: bigint | undefined }
    ) => Effect.Effect<void, StoreUnavailable>
    /**
     * Records one more look without a delivery for each intent, by one statement. The next look is due at `lookAtMs` (UNIX
     * milliseconds). Ignores intents that are neither `settled_source` nor delivered without a transaction.
     */
    readonly postponeDeliveries: (
      looked: ReadonlyArray<{ readonly id: string; readonly lookAtMs: number }>
    ) => Effect.Effect<void, StoreUnavailable>
    /** Number of intents in each status. */
    readonly counts: Effect.Effect<Readonly<Record<IntentStatus, number>>, StoreUnavailable>
    /** Emits when there may be an intent of the chain to claim, of any process. Best effort: also claim on a timer. */
    readonly wakes: (chainId: ChainId) => Stream.Stream<void>
  }
>()("sweep/ports/Intents") {}
