/** Whether what happened is what was signed, to the wei. Pure: balances and an order in, findings out. */
import type { SweepOrder } from "../../domain/SweepOrder.ts"

/** Balances that an order may change, in the smallest units. */
export interface Balances {
  readonly ownerIn: bigint
  /** The owner's native currency. */
  readonly ownerNative: bigint
  readonly destinationOut: bigint
  /** The fee recipient's, in the token in which fees are skimmed. */
  readonly feeRecipient: bigint
  /** The builder's, in the same token; 0 where nobody is attributed. */
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

/** `delivered` is what the chain's event says arrived; the order's minimum is checked beside it. */
export const reconcile = (options: {
  readonly order: SweepOrder
  readonly nativeIn: boolean
  /** Whether the owner also receives the output in native currency. */
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
    exactly("destination received what the chain says", delivered, after.destinationOut - before.destinationOut),
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
