/** Transactions of the service's own accounts, before and after signing. */
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Authorization } from "../../domain/Delegation.ts"
import type { Hash, Hex } from "../../domain/Hex.ts"

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
