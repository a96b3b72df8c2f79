/** The relayer's accounts ("lanes") and their signatures: raw keys, a keystore or a KMS behind one interface. */
import { Context, type Effect, Schema } from "effect"
import type * as Address from "../domain/Address.ts"
import type { ChainId } from "../domain/ChainId.ts"
import type { Authorization } from "../domain/Delegation.ts"
import type { Hash, Hex } from "../domain/Hex.ts"

/** An unsigned EIP-1559 (type 2) transaction, or an EIP-7702 one (type 4) when it carries authorizations. */
export interface UnsignedTransaction {
  readonly chainId: ChainId
  readonly nonce: bigint
  readonly to: Address.Address
  readonly data: Hex
  readonly gas: bigint
  /** Wei per gas. */
  readonly maxFeePerGas: bigint
  /** Wei per gas. */
  readonly maxPriorityFeePerGas: bigint
  readonly authorizationList: ReadonlyArray<Authorization>
}

export interface SignedTransaction {
  readonly raw: Hex
  readonly hash: Hash
}

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
    /** The accounts that may send on a chain, at least one. */
    readonly lanes: (chainId: ChainId) => ReadonlyArray<Address.Address>
    readonly sign: (
      lane: Address.Address,
      transaction: UnsignedTransaction
    ) => Effect.Effect<SignedTransaction, SigningFailed>
  }
>()("sweep/ports/RelayerKeys") {}
