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
    /** Signs a transaction with the lane's key. Two signatures of one transaction may differ. */
    readonly sign: (
      lane: Address.Address,
      transaction: UnsignedTransaction
    ) => Effect.Effect<SignedTransaction, SigningFailed>
    /** False while the lane's signer is left alone after failures. The lane then takes no new batches. */
    readonly isAnswering: (lane: Address.Address) => Effect.Effect<boolean>
    /** Runs an effect that signs for a lane. Those of a signer outside this process take turns, and wait for them for a few seconds at most. */
    readonly inTurn: <A, E, R>(
      lane: Address.Address,
      effect: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | SigningFailed, R>
  }
>()("sweep/ports/RelayerKeys") {}
