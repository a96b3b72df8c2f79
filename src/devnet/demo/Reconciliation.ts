/** Compares balances before and after a sweep with the signed order, to the smallest unit. */
import type { SweepOrder } from "../../domain/SweepOrder.ts"

/** Balances that an order may change, in the smallest units. */
export interface Balances {
  readonly ownerIn: bigint
  /** Native currency of the owner. */
  readonly ownerNative: bigint
  readonly destinationOut: bigint
  /** Balance of the fee recipient, in the token in which fees are taken. */
  readonly feeRecipient: bigint
  /** Balance of the builder in the same token. 0 if the sweep is not attributed. */
  readonly builder: bigint
}

export interface Check {
  readonly name: string
  readonly expected: bigint
  readonly actual: bigint
  readonly ok: boolean
}

const exactly = (name: string, expected: bigint, actual: bigint): Check => ({
  name,
  expected,
  actual,
  ok: expected === actual
})

/** `delivered` is the amount in the chain's event. The order's minimum is checked separately. */
export const reconcile = (options: {
  readonly order: SweepOrder
  readonly nativeIn: boolean
  /** True if the owner receives the output in native currency on the source chain. */
  readonly nativeOutToOwner: boolean
  readonly before: Balances
  readonly after: Balances
  readonly delivered: bigint
  readonly minAmountOut: bigint
}): ReadonlyArray<Check> => {
  const { after, before, delivered, minAmountOut, nativeIn, nativeOutToOwner, order } = options
  const nativeChange = (nativeOutToOwner ? delivered : 0n) - (nativeIn ? order.amountIn : 0n)
  return [
    exactly("owner paid amountIn", order.amountIn, before.ownerIn - after.ownerIn),
    exactly("owner paid no gas", nativeChange, after.ownerNative - before.ownerNative),
    exactly(
      "destination received the amount of the chain's event",
      delivered,
      after.destinationOut - before.destinationOut
    ),
    {
      name: "destination received at least the minimum",
      expected: minAmountOut,
      actual: after.destinationOut - before.destinationOut,
      ok: after.destinationOut - before.destinationOut >= minAmountOut
    },
    exactly("protocol received feeAmount", order.feeAmount, after.feeRecipient - before.feeRecipient),
    exactly("builder received builderFee", order.builderFee, after.builder - before.builder)
  ]
}
