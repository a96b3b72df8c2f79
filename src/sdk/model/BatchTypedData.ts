/** EIP-712 typed data of a batch, built from orders and never taken from the service (ERC-7964). */
import type { Address } from "./Address.ts"
import type { BatchLeg } from "./Batch.ts"
import { UsageError } from "./Errors.ts"
import type { SweepOrder } from "./Sweep.ts"
import { DEFAULT_DOMAIN_NAME } from "./DomainName.ts"
import { DOMAIN_VERSION, ORDER_TYPES } from "./TypedData.ts"

/** EIP-712 types of a batch. The order is that of a single sweep. */
export const BATCH_TYPES = {
  SweepBatch: [{ name: "legs", type: "SweepLeg[]" }],
  SweepLeg: [
    { name: "chainId", type: "uint256" },
    { name: "order", type: "SweepOrder" }
  ],
  ...ORDER_TYPES
} as const

/** EIP-712 typed data of a batch. Argument of `signTypedData` in viem; ethers takes its `domain`, `types` and `message`. */
export interface BatchTypedData {
  readonly domain: { readonly name: string; readonly version: string; readonly verifyingContract: Address }
  readonly types: typeof BATCH_TYPES
  readonly primaryType: "SweepBatch"
  readonly message: {
    readonly legs: ReadonlyArray<{ readonly chainId: bigint; readonly order: SweepOrder }>
  }
}

/**
 * Builds the typed data of a batch. The verifying contract is the owner's own account. The domain has no chain, because each leg
 * names its own.
 *
 * @throws {UsageError} if there is no leg, or the orders are of several owners
 * @example
 * const typedData = batchTypedData([{ chainId: 8453, order }, { chainId: 10, order: another }])
 * const signature = await account.signTypedData(typedData)
 */
export const batchTypedData = (
  legs: ReadonlyArray<BatchLeg>,
  domainName: string = DEFAULT_DOMAIN_NAME
): BatchTypedData => {
  const owner = legs[0]?.order.owner
  if (owner === undefined) throw new UsageError("the batch has no leg")
  if (legs.some(({ order }) => order.owner !== owner)) throw new UsageError("the batch has several owners")
  return {
    domain: { name: domainName, version: DOMAIN_VERSION, verifyingContract: owner },
    types: BATCH_TYPES,
    primaryType: "SweepBatch",
    message: { legs: legs.map(({ chainId, order }) => ({ chainId: BigInt(chainId), order })) }
  }
}
