/** {@link LastPrices} in memory, for tests. */
import { Effect, Layer } from "effect"
import type * as Address from "../../../domain/Address.ts"
import type { Kept } from "../../../domain/PriceReview.ts"
import { LastPrices } from "../../../ports/orchestrator/LastPrices.ts"

export const layer = Layer.sync(LastPrices, () => {
  const kept = new Map<number, ReadonlyMap<Address.Address, Kept>>()
  return {
    read: (chainId) => Effect.sync(() => kept.get(chainId) ?? new Map<Address.Address, Kept>()),
    keep: (chainId, token, price) =>
      Effect.sync(() => {
        const before = kept.get(chainId) ?? new Map<Address.Address, Kept>()
        if ((before.get(token)?.atMs ?? Number.NEGATIVE_INFINITY) < price.atMs)
          kept.set(chainId, new Map([...before, [token, price]]))
      })
  }
})
