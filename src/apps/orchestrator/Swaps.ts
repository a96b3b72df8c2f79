/** Swaps on one chain: by Uniswap v3 alone, or by the best of the venues that the chains file and the settings name. */
import { Effect, Layer } from "effect"
import type { ChainEndpoints } from "../../adapters/evm/chains/Chains.ts"
import * as BestVenue from "../../adapters/swap/BestVenue.ts"
import * as UniswapV3 from "../../adapters/swap/UniswapV3.ts"
import * as Venues from "../../adapters/swap/Venues.ts"
import { SwapVenue } from "../../ports/orchestrator/SwapVenue.ts"
import * as RouteServices from "./RouteServices.ts"

export const layer = (chains: ReadonlyArray<Pick<ChainEndpoints, "chain">>, services: RouteServices.Options = {}) => {
  const isDeclared = chains.some(({ chain: { venues = [] } }) => venues.length > 0)
  const isService = Object.values(services).some((service) => service !== undefined)
  const best = Effect.gen(function* () {
    return yield* BestVenue.make([...(yield* Venues.make), ...(yield* RouteServices.make(services))])
  })
  return Layer.effect(SwapVenue, isDeclared || isService ? best : UniswapV3.make)
}
