/** Payout batches and the ledger entries that they claim. */
import { Context, type Effect, type Option, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Hash } from "../../domain/Hex.ts"
import { LeftOut, type PayoutBatch, type PayoutLine, PayoutStatus } from "../../domain/Payout.ts"
import type { PayoutPayment } from "../../domain/PayoutPayment.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

/** No builder who can be paid is owed at least the batch's minimum. */
export class NothingOwed extends Schema.TaggedError<NothingOwed>()("NothingOwed", {
  /** Builders who are owed it, but cannot be paid. */
  leftOut: Schema.Array(LeftOut)
}) {
  override get message(): string {
    return "nothing is owed above the threshold"
  }
}

/** The database was restored to an earlier moment, so it may not know payments that the chain has. */
export class RestoreUnreconciled extends Schema.TaggedError<RestoreUnreconciled>()("RestoreUnreconciled", {}) {
  override get message(): string {
    return "the database was restored and not reconciled, so builders could be paid twice. Run `sweep reconcile`"
  }
}

export class PayoutNotFound extends Schema.TaggedError<PayoutNotFound>()("PayoutNotFound", { id: Schema.String }) {
  override get message(): string {
    return `there is no payout batch ${this.id}`
  }
}

/** The batch is no longer open. */
export class PayoutClosed extends Schema.TaggedError<PayoutClosed>()("PayoutClosed", {
  id: Schema.String,
  /** Absent if the reporter did not say. */
  status: Schema.optionalKey(PayoutStatus)
}) {
  override get message(): string {
    return `payout batch ${this.id} is ${this.status ?? "no longer open"}`
  }
}

/**
 * The transaction is booked as the payment of another batch of the same token, recorded as a payment of another batch, or pays another open
 * batch exactly.
 */
export class PaymentTaken extends Schema.TaggedError<PaymentTaken>()("PaymentTaken", {
  txHash: Schema.String,
  /** The open batch that it pays. Absent if the batch is not open, or if the reporter did not say. */
  batchId: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return `transaction ${this.txHash} pays ${this.batchId === undefined ? "another batch" : `batch ${this.batchId}`}`
  }
}

/** The transaction does not prove the payment, or not yet. */
export class PaymentUnproven extends Schema.TaggedError<PaymentUnproven>()("PaymentUnproven", {
  reason: Schema.Literals(["not_mined", "reverted", "not_confirmed", "not_paid"]),
  /** Builders whose transfers are missing. */
  builderIds: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `the transaction does not prove the payment: ${this.reason}`
  }
}

/** The batch has a recorded payment that the caller does not know, or that may still be mined. */
export class PaymentInFlight extends Schema.TaggedError<PaymentInFlight>()("PaymentInFlight", { id: Schema.String }) {
  override get message(): string {
    return `a signed payment of batch ${this.id} may still be mined`
  }
}

/** Selects the entries that a batch can claim. */
export interface Claimable {
  readonly chainId: ChainId
  readonly token: Address.Address
  /** In the token's smallest unit. */
  readonly minAmount: bigint
}

/** A builder with the address that the batch may pay. */
export type Payee = Pick<PayoutLine, "builderId" | "payoutAddress">

/** A builder with the amount that it is owed. A suspended builder is in no batch. */
export interface Candidate extends Payee {
  readonly amount: bigint
  readonly suspended: boolean
  /** Chain of its contract wallet, which no batch of another chain pays. Absent if its address may be paid on every chain. */
  readonly walletChainId?: ChainId
}

/** A batch that was opened now. */
export interface OpenedBatch extends PayoutBatch {
  /** True if the builders are owed more than the batch claims, also where the rest is below the minimum. Absent otherwise. */
  readonly more?: true
}

export class Payouts extends Context.Service<
  Payouts,
  {
    /** Fails while the database may not know payments that the chain has, since it was restored. */
    readonly requireReconciled: Effect.Effect<void, RestoreUnreconciled | StoreUnavailable>
    /** Builders that are owed at least `minAmount` and more than zero in entries of the chain, by id. Claims nothing. */
    readonly candidates: (request: Claimable) => Effect.Effect<ReadonlyArray<Candidate>, StoreUnavailable>
    /**
     * Opens a batch that claims everything owed in a token on a chain to each builder that is owed at least `minAmount`
     * and more than zero, is not suspended, and has no contract wallet of another chain. With `payees`, only to those of them whose payout address is still the given
     * one. Concurrent calls never claim an entry twice: an entry is in at most one batch that is open or paid. `NothingOwed`
     * if there is no such builder.
     *
     * Claims at most `maxEntries` entries of at most `maxLines` builders: builders in the order of their ids, the entries of each in the
     * order of `PayoutClaims.inOrder`, so that no line is more than its builder is owed, and a builder without a line takes no place of another.
     * Defaults: `MAX_BATCH_ENTRIES` and `MAX_BATCH_LINES`.
     */
    readonly open: (
      request: Claimable & {
        readonly id: string
        readonly payees?: ReadonlyArray<Payee>
        readonly maxEntries?: number
        readonly maxLines?: number
      }
    ) => Effect.Effect<OpenedBatch, NothingOwed | StoreUnavailable>
    /** The batch; none if the id is unknown. */
    readonly find: (id: string) => Effect.Effect<Option.Option<PayoutBatch>, StoreUnavailable>
    /** Open batches of a token on a chain, oldest first. */
    readonly openOf: (
      of: Pick<PayoutBatch, "chainId" | "token">
    ) => Effect.Effect<ReadonlyArray<PayoutBatch>, StoreUnavailable>
    /** Up to `limit` batches, newest first; with `before`, those older than the batch of that id. */
    readonly list: (page: {
      readonly before?: string
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<PayoutBatch>, StoreUnavailable>
    /**
     * Stores a signed payment of an open batch as the one after `known` others; durable when it returns.
     * `PaymentInFlight` if the batch has another number of payments. Idempotent by transaction hash.
     */
    readonly record: (
      id: string,
      payment: Omit<PayoutPayment, "recordedAtMs">,
      known: number
    ) => Effect.Effect<PayoutBatch, PayoutNotFound | PayoutClosed | PaymentInFlight | StoreUnavailable>
    /**
     * Books the payment of every line and closes the batch. Idempotent by transaction hash. A transaction that is not
     * among the recorded payments is accepted only if `known` payments are recorded; otherwise `PaymentInFlight`.
     * Default of `known`: 0.
     */
    readonly markPaid: (
      id: string,
      txHash: Hash,
      known?: number
    ) => Effect.Effect<PayoutBatch, PayoutNotFound | PayoutClosed | PaymentTaken | PaymentInFlight | StoreUnavailable>
    /**
     * Closes the batch as failed and releases its claims, so that the amounts are owed again. Idempotent.
     * `PaymentInFlight` unless `known` payments are recorded. Default of `known`: 0.
     */
    readonly fail: (
      id: string,
      reason: string,
      known?: number
    ) => Effect.Effect<PayoutBatch, PayoutNotFound | PayoutClosed | PaymentInFlight | StoreUnavailable>
  }
>()("sweep/ports/Payouts") {}
