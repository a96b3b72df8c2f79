/** Fees that orders promise in tokens that only thin pools sell. All replicas share them. */
import { Context, type Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

/** The fee of one order, which its chain, owner and nonce name. */
export interface PromisedFee {
  readonly chainId: ChainId
  readonly owner: Address.Address
  readonly nonce: bigint
  readonly token: Address.Address
  /** In the smallest unit. */
  readonly amount: bigint
  /** UNIX milliseconds from which the order can settle no more. */
  readonly untilMs: number
}

export class PromisedFees extends Context.Service<
  PromisedFees,
  {
    /**
     * Records the fee in place of an earlier one of the same order. Returns the sum of what all other orders still promise in the token on
     * the chain. Of any number of concurrent calls, each pair has one at least that counts the other.
     */
    readonly promise: (fee: PromisedFee) => Effect.Effect<bigint, StoreUnavailable>
  }
>()("sweep/ports/PromisedFees") {}
