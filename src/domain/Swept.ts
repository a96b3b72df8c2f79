/** The guard's `Swept` event, the only proof of a settlement (design, "Rules of money", 1). */
import type * as Address from "./Address.ts"
import type { Hash } from "./Hex.ts"
import type { SweepOrder } from "./SweepOrder.ts"

export interface Swept {
  readonly orderHash: Hash
  readonly owner: Address.Address
  readonly builder: Address.Address
  readonly tokenIn: Address.Address
  readonly amountIn: bigint
  readonly feeAmount: bigint
  readonly builderFee: bigint
  readonly tokenOut: Address.Address
  readonly amountOut: bigint
  readonly destination: Address.Address
  readonly swapTarget: Address.Address
  readonly nonce: bigint
  readonly destChainId: bigint
}

/** True if `event` settles `order`: the order hash and every field that the event repeats are equal. */
export const settles = (event: Swept, order: SweepOrder, orderHash: Hash): boolean =>
  event.orderHash === orderHash &&
  event.owner === order.owner &&
  event.builder === order.builder &&
  event.tokenIn === order.tokenIn &&
  event.amountIn === order.amountIn &&
  event.feeAmount === order.feeAmount &&
  event.builderFee === order.builderFee &&
  event.tokenOut === order.tokenOut &&
  event.amountOut >= order.minAmountOut &&
  event.destination === order.destination &&
  event.swapTarget === order.swapTarget &&
  event.nonce === order.nonce &&
  event.destChainId === order.destChainId
