/** Fees of the next block for one claim. Each answer of the nodes is read once. */
import { Effect } from "effect"
import * as ChainMoney from "../../domain/ChainMoney.ts"
import type { ChainClient, ChainUnavailable, FeesPerGas } from "../../ports/shared/Chains.ts"
import * as LowerPrices from "../shared/LowerPrices.ts"

export interface Market {
  /** Fees by one endpoint, or the confirmed ones once they are read. */
  readonly fees: Effect.Effect<FeesPerGas, ChainUnavailable>
  /** The lower fees of two endpoints. Read before sweeps wait because of a price. Without an answer, the first fees count. */
  readonly confirmed: Effect.Effect<FeesPerGas, ChainUnavailable>
  readonly isConfirmed: () => boolean
}

export const make = Effect.fnUntraced(function* (client: ChainClient): Effect.fn.Return<Market> {
  let isConfirmed = false
  const first = yield* Effect.cached(client.feesPerGas)
  const confirmed = yield* Effect.cached(
    Effect.gen(function* () {
      const fees = yield* first
      const lower = yield* Effect.orElseSucceed(LowerPrices.feesPerGas(client), () => fees)
      isConfirmed = true
      return ChainMoney.lowerFees(fees, lower)
    })
  )
  return {
    fees: Effect.suspend(() => (isConfirmed ? confirmed : first)),
    confirmed,
    isConfirmed: () => isConfirmed
  }
})
