/** {@link Prices} from the chain's Uniswap v3 pools, without any other service. See {@link PoolMarkets}. */
import { Duration, Effect, Layer } from "effect"
import { Prices } from "../../ports/orchestrator/Prices.ts"
import { PoolMarkets } from "./PoolMarkets.ts"
import * as Markets from "./PoolMarkets.ts"
import * as PriceCache from "./PriceCache.ts"

export const NAME = "uniswap-v3"

export interface Options extends Markets.Options {
  /** Default: 15 seconds. */
  readonly cacheLifetime?: Duration.Input
}

export const make = Effect.fnUntraced(function* (cacheLifetime: Duration.Input = Duration.seconds(15)) {
  const markets = yield* PoolMarkets
  return yield* PriceCache.make(
    NAME,
    (chainId, tokens) =>
      Effect.map(
        markets.read(chainId, tokens),
        (found) => new Map(Array.from(found, ([address, { price }]) => [address, price] as const))
      ),
    cacheLifetime
  )
})

/** The pools as the only source. */
export const layer = ({ cacheLifetime, ...options }: Options = {}) =>
  Layer.effect(Prices, make(cacheLifetime)).pipe(
    Layer.provide(Markets.layer({ ...(cacheLifetime === undefined ? {} : { lifetime: cacheLifetime }), ...options }))
  )
