/** Transactions of the service's own accounts, before and after signing. */
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Authorization } from "../../domain/Delegation.ts"
import type { Hash, Hex } from "../../domain/Hex.ts"

/** Unsigned EIP-1559 transaction (type 2), or EIP-7702 transaction (type 4) if it has authorizations. */
export interface UnsignedTransaction {
  readonly chainId: ChainId
  readonly nonce: bigint
  readonly to: Address.Address
  readonly data: Hex
  /** Wei. Default: 0. */
  readonly value?: bigint
  /** Gas limit. */
  readonly gas: bigint
  /** Wei per gas. */
  readonly maxFeePerGas: bigint
  /** Wei per gas. */
  readonly maxPriorityFeePerGas: bigint
  readonly authorizationList: ReadonlyArray<Authorization>
}

export interface SignedTransaction {
  /** Serialized signed transaction. */
  readonly raw: Hex
  /** keccak256 of `raw`. */
  readonly hash: Hash
}
