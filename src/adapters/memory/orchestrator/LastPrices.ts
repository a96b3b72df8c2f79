/** {@link LastPrices} in memory, for tests. */
import { Clock, Effect, Layer } from "effect"
import type * as Address from "../../../domain/Address.ts"
import type { Kept } from "../../../domain/PriceReview.ts"
import { LastPrices } from "../../../ports/orchestrator/LastPrices.ts"

/** A price further in the future gives way to any other. */
const TOLERANCE_MILLIS = 60_000

export const layer = Layer.sync(LastPrices, () => {
  const kept = new Map<number, ReadonlyMap<Address.Address, Kept>>()
  return {
    read: (chainId) => Effect.sync(() => kept.get(chainId) ?? new Map<Address.Address, Kept>()),
    keep: (chainId, token, price) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const before = kept.get(chainId) ?? new Map<Address.Address, Kept>()
        const keptAt = before.get(token)?.atMs ?? Number.NEGATIVE_INFINITY
        if (keptAt < price.atMs || keptAt > now + TOLERANCE_MILLIS)
          kept.set(chainId, new Map([...before, [token, price]]))
      })
  }
})
