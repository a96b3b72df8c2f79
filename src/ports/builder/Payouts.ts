/** Payout batches and the ledger entries that they claim. */
import { Context, type Effect, type Option, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Hash } from "../../domain/Hex.ts"
import { type PayoutBatch, PayoutStatus } from "../../domain/Payout.ts"
import type { PayoutPayment } from "../../domain/PayoutPayment.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

/** No builder is owed as much as the batch asks for. */
export class NothingOwed extends Schema.TaggedError<NothingOwed>()("NothingOwed", {}) {
  override get message(): string {
    return "nothing is owed above the threshold"
  }
}

export class PayoutNotFound extends Schema.TaggedError<PayoutNotFound>()("PayoutNotFound", { id: Schema.String }) {
  override get message(): string {
    return `there is no payout batch ${this.id}`
  }
}

/** The batch is not open any more. */
export class PayoutClosed extends Schema.TaggedError<PayoutClosed>()("PayoutClosed", {
  id: Schema.String,
  /** Absent where the reporter did not say. */
  status: Schema.optionalKey(PayoutStatus)
}) {
  override get message(): string {
    return `payout batch ${this.id} is ${this.status ?? "not open any more"}`
  }
}

/** The transaction was already booked as the payment of another batch of the same token. */
export class PaymentTaken extends Schema.TaggedError<PaymentTaken>()("PaymentTaken", { txHash: Schema.String }) {
  override get message(): string {
    return `transaction ${this.txHash} pays another batch`
  }
}

/** The transaction does not prove the payment (yet). */
export class PaymentUnproven extends Schema.TaggedError<PaymentUnproven>()("PaymentUnproven", {
  reason: Schema.Literals(["not_mined", "reverted", "not_confirmed", "not_paid"]),
  /** The builders whose transfers are missing. */
  builderIds: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `the transaction does not prove the payment: ${this.reason}`
  }
}

/** A payment of the batch is recorded that the caller does not know of, or that may still be mined. */
export class PaymentInFlight extends Schema.TaggedError<PaymentInFlight>()("PaymentInFlight", { id: Schema.String }) {
  override get message(): string {
    return `a signed payment of batch ${this.id} may still be mined`
  }
}

export class Payouts extends Context.Service<
  Payouts,
  {
    /**
     * Claims everything owed in a token on a chain to each builder that is owed `minAmount` or more, and more than zero. No
     * entry is ever in two batches that are open or paid, however many open at once.
     */
    readonly open: (request: {
      readonly id: string
      readonly chainId: ChainId
      readonly token: Address.Address
      readonly minAmount: bigint
      /** Whether accruals that name no chain count as earned on this one. */
      readonly withUnknownChain: boolean
    }) => Effect.Effect<PayoutBatch, NothingOwed | StoreUnavailable>
    readonly find: (id: string) => Effect.Effect<Option.Option<PayoutBatch>, StoreUnavailable>
    /** Newest first, from before the batch `before` on. */
    readonly list: (page: {
      readonly before?: string
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<PayoutBatch>, StoreUnavailable>
    /**
     * Keeps a signed payment of an open batch, as the one after `known` others; durable when it returns. Refused when there
     * are more or fewer. Repeated with the same transaction it changes nothing.
     */
    readonly record: (
      id: string,
      payment: Omit<PayoutPayment, "recordedAtMs">,
      known: number
    ) => Effect.Effect<PayoutBatch, PayoutNotFound | PayoutClosed | PaymentInFlight | StoreUnavailable>
    /**
     * Books the payment of every line. Repeated with the same transaction it changes nothing. A transaction that is not
     * among the recorded payments is refused unless there are `known` of these.
     */
    readonly markPaid: (
      id: string,
      txHash: Hash,
      known?: number
    ) => Effect.Effect<PayoutBatch, PayoutNotFound | PayoutClosed | PaymentTaken | PaymentInFlight | StoreUnavailable>
    /**
     * Gives the batch up: what it claimed is owed again. Repeated, it changes nothing. Refused unless `known` payments are
     * recorded, 0 unless told.
     */
    readonly fail: (
      id: string,
      reason: string,
      known?: number
    ) => Effect.Effect<PayoutBatch, PayoutNotFound | PayoutClosed | PaymentInFlight | StoreUnavailable>
  }
>()("sweep/ports/Payouts") {}
