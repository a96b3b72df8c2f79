/** Fees that orders promise in tokens that count for what they sell for. All replicas share them. */
import { Context, type Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

/** The names of an order. */
export interface PromisedOrder {
  readonly chainId: ChainId
  readonly owner: Address.Address
  readonly nonce: bigint
}

/** The fee of one order. */
export interface PromisedFee extends PromisedOrder {
  readonly token: Address.Address
  /** In the smallest unit. */
  readonly amount: bigint
  /** UNIX milliseconds from which the order can settle no more. */
  readonly untilMs: number
  /** True if a budget bounds the loss by fees that sell for less than they count. Then not all orders of other owners have to count. */
  readonly isBudgeted: boolean
}

export class PromisedFees extends Context.Service<
  PromisedFees,
  {
    /**
     * Records the fee in place of an earlier one of the same order. Returns the sum of what other orders still promise in the token on the
     * chain. All orders of the same owner count, and so do all that are submitted. Of the rest, which anybody can ask for, only the largest
     * of each owner counts, if the fee is budgeted. Of any number of concurrent calls, each pair has one at least that counts the other.
     */
    readonly promise: (fee: PromisedFee) => Effect.Effect<bigint, StoreUnavailable>
    /** Records the fee in place of an earlier one of the same order, without the sum of the others. */
    readonly record: (fee: Omit<PromisedFee, "isBudgeted">) => Effect.Effect<void, StoreUnavailable>
    /** Forgets the fee of an order that is not offered. Ignores an unknown order. */
    readonly withdraw: (order: PromisedOrder) => Effect.Effect<void, StoreUnavailable>
  }
>()("sweep/ports/PromisedFees") {}
