/**
 * Swaps on one chain: by Uniswap v3 alone, or by the best of the venues that the chains file and the settings name. And estimates of what
 * balances sell for, by the same exchanges.
 */
import { Context, Effect, Layer } from "effect"
import type { ChainEndpoints } from "../../adapters/evm/chains/Chains.ts"
import * as BestVenue from "../../adapters/swap/BestVenue.ts"
import { KnownPools } from "../../adapters/swap/KnownPools.ts"
import * as ListedRouters from "../../adapters/swap/ListedRouters.ts"
import * as PoolEstimates from "../../adapters/swap/PoolEstimates.ts"
import * as UniswapV3 from "../../adapters/swap/UniswapV3.ts"
import * as Venues from "../../adapters/swap/Venues.ts"
import { SaleEstimates } from "../../ports/orchestrator/SaleEstimates.ts"
import { SwapVenue } from "../../ports/orchestrator/SwapVenue.ts"
import * as RouteServices from "./RouteServices.ts"

export const layer = (chains: ReadonlyArray<Pick<ChainEndpoints, "chain">>, services: RouteServices.Options = {}) => {
  const isDeclared = chains.some(({ chain: { venues = [] } }) => venues.length > 0)
  const hasServices = Object.values(services).some((service) => service !== undefined)
  return Layer.effectContext(
    Effect.gen(function* () {
      const sources = yield* Venues.make
      const listed = ListedRouters.make()
      const venue =
        isDeclared || hasServices
          ? yield* BestVenue.make([...sources, ...(yield* RouteServices.make(services))], listed)
          : yield* UniswapV3.make
      const estimates = yield* PoolEstimates.make({ sources, listed, hasServices })
      return Context.make(SwapVenue, SwapVenue.of(venue)).pipe(Context.add(SaleEstimates, estimates))
    })
  ).pipe(Layer.provide(KnownPools.layer))
}
