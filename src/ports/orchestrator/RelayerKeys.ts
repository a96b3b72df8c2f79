/** Keys of the relayer's accounts, called lanes. */
import { Context, type Effect, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { SignedTransaction, UnsignedTransaction } from "../shared/Transaction.ts"

/** The lane's key could not sign. */
export class SigningFailed extends Schema.TaggedError<SigningFailed>()("SigningFailed", {
  lane: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `lane ${this.lane} could not sign: ${this.detail}`
  }
}

export class RelayerKeys extends Context.Service<
  RelayerKeys,
  {
    /** Accounts that may send on a chain; at least one. */
    readonly lanes: (chainId: ChainId) => ReadonlyArray<Address.Address>
    /** Signs a transaction with the lane's key. Deterministic: the same transaction gives the same bytes. */
    readonly sign: (
      lane: Address.Address,
      transaction: UnsignedTransaction
    ) => Effect.Effect<SignedTransaction, SigningFailed>
  }
>()("sweep/ports/RelayerKeys") {}
