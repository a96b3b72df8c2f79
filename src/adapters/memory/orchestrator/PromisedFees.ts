/** {@link PromisedFees} in memory, for tests. */
import { Clock, Effect, Layer } from "effect"
import { type PromisedFee, PromisedFees, type PromisedOrder } from "../../../ports/orchestrator/PromisedFees.ts"

const isSameOrder = (a: PromisedOrder, b: PromisedOrder): boolean =>
  a.chainId === b.chainId && a.owner === b.owner && a.nonce === b.nonce

export const layer = Layer.sync(PromisedFees, () => {
  let kept: ReadonlyArray<PromisedFee> = []
  return {
    promise: (fee) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const others = kept.filter((each) => each.untilMs > now && !isSameOrder(each, fee))
        kept = [...others, fee]
        return others.reduce(
          (sum, { amount, chainId, token }) => (chainId === fee.chainId && token === fee.token ? sum + amount : sum),
          0n
        )
      }),
    withdraw: (order) =>
      Effect.sync(() => {
        kept = kept.filter((each) => !isSameOrder(each, order))
      })
  }
})
