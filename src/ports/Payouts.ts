/** Payout batches and the ledger entries that they claim. */
import { Context, type Effect, type Option, Schema } from "effect"
import type * as Address from "../domain/Address.ts"
import type { ChainId } from "../domain/ChainId.ts"
import type { Hash } from "../domain/Hex.ts"
import { type PayoutBatch, PayoutStatus } from "../domain/Payout.ts"
import type { StoreUnavailable } from "./Store.ts"

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
  status: PayoutStatus
}) {
  override get message(): string {
    return `payout batch ${this.id} is ${this.status}`
  }
}

/** The transaction was already booked as the payment of another batch of the same token. */
export class PaymentTaken extends Schema.TaggedError<PaymentTaken>()("PaymentTaken", { txHash: Schema.String }) {
  override get message(): string {
    return `transaction ${this.txHash} pays another batch`
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
    /** Books the payment of every line. Repeated with the same transaction it changes nothing. */
    readonly markPaid: (
      id: string,
      txHash: Hash
    ) => Effect.Effect<PayoutBatch, PayoutNotFound | PayoutClosed | PaymentTaken | StoreUnavailable>
    /** Gives the batch up: what it claimed is owed again. Repeated, it changes nothing. */
    readonly fail: (
      id: string,
      reason: string
    ) => Effect.Effect<PayoutBatch, PayoutNotFound | PayoutClosed | StoreUnavailable>
  }
>()("sweep/ports/Payouts") {}
