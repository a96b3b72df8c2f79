/** {@link Prices} from a table that tests can change. */
import { Clock, Context, Effect, Layer, Ref } from "effect"
import type * as Address from "../../../domain/Address.ts"
import type { ChainId } from "../../../domain/ChainId.ts"
import type { UsdPrice } from "../../../domain/Fees.ts"
import { Prices, PricesUnavailable } from "../../../ports/orchestrator/Prices.ts"

export interface State {
  /** By chain, then by token. */
  readonly prices: ReadonlyMap<ChainId, ReadonlyMap<Address.Address, UsdPrice>>
  readonly available: boolean
}

/** The test's handle on the adapter. */
export class PricesState extends Context.Service<PricesState, Ref.Ref<State>>()("sweep/adapters/memory/PricesState") {}

export const layer = (initial: Partial<State> = {}): Layer.Layer<Prices | PricesState> =>
  Layer.effect(
    Prices,
    Effect.map(PricesState, (state) =>
      Prices.ofDetailed(
        Effect.fn("Prices.detailed")(function* (chainId, tokens) {
          const { available, prices } = yield* Ref.get(state)
          if (!available) return yield* new PricesUnavailable({ detail: "turned off" })
          const known = prices.get(chainId) ?? new Map<Address.Address, UsdPrice>()
          const asked = new Set(tokens.map((token) => token.address))
          const readAtMs = yield* Clock.currentTimeMillis
          return new Map(
            Array.from(known)
              .filter(([address]) => asked.has(address))
              .map(([address, usd]) => [address, { usd, readAtMs, sources: ["memory"] }])
          )
        })
      )
    )
  ).pipe(Layer.provideMerge(Layer.effect(PricesState, Ref.make({ prices: new Map(), available: true, ...initial }))))
