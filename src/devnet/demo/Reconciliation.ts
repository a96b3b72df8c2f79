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

/** One token of a wallet before and after its sweep: balances of the owner and of the fee recipient, in the smallest unit. */
export interface TokenBalances {
  /** Symbol and chain. */
  readonly name: string
  readonly order: SweepOrder
  readonly owner: Change
  readonly feeRecipient: Change
}

interface Change {
  readonly before: bigint
  readonly after: bigint
}

/**
 * Checks of a sweep of many tokens without a builder. `native` has the owner's native currency by chain, of which none is swept or
 * received. `delivered` is the sum of the amounts in the chains' events, `minimum` that of the minimums.
 */
export const reconcileWallet = (options: {
  readonly tokens: ReadonlyArray<TokenBalances>
  readonly native: ReadonlyArray<Change & { readonly chain: string }>
  readonly destination: Change
  readonly delivered: bigint
  readonly minimum: bigint
}): ReadonlyArray<Check> => {
  const { delivered, destination, minimum, native, tokens } = options
  const received = destination.after - destination.before
  return [
    ...tokens.flatMap(({ feeRecipient, name, order, owner }) => [
      exactly(`owner paid amountIn of ${name}`, order.amountIn, owner.before - owner.after),
      exactly(`protocol received feeAmount of ${name}`, order.feeAmount, feeRecipient.after - feeRecipient.before)
    ]),
    ...native.map(({ after, before, chain }) => exactly(`owner paid no gas on ${chain}`, 0n, after - before)),
    exactly("destination received the amounts of the chains' events", delivered, received),
    {
      name: "destination received at least the minimums",
      expected: minimum,
      actual: received,
      ok: received >= minimum
    }
  ]
}

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
