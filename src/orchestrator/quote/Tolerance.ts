/** Chooses the slippage tolerance of a quote: that of the request, else that of the operator, else by what is measured. */
import { Effect } from "effect"
import type { Chain } from "../../domain/Chain.ts"
import type { QuoteRequest } from "../../domain/Quote.ts"
import * as SlippageTolerance from "../../domain/SlippageTolerance.ts"
import { PriceMoves } from "../../ports/orchestrator/PriceMoves.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"

/**
 * Makes `toleranceOf(chain, request)`, which returns the tolerance in basis points for a route's price impact, undefined if that is not
 * measured. Reads nothing outside of the process.
 */
export const make = Effect.gen(function* () {
  const chains = yield* Chains
  const moves = yield* PriceMoves
  const { quoteLifetimeMillis, slippage } = yield* OrchestratorSettings
  const stablesOf = (chainId: number) => chains.all.find(({ chain }) => chain.id === chainId)?.chain.stables ?? []

  return Effect.fnUntraced(function* (
    { id }: Pick<Chain, "id">,
    {
      destChainId,
      slippageBps = slippage.fixedBps,
      tokenIn,
      tokenOut
    }: Pick<QuoteRequest, "destChainId" | "slippageBps" | "tokenIn" | "tokenOut">
  ) {
    if (slippageBps !== undefined) return () => slippageBps
    const sides = yield* Effect.forEach(
      [
        { chainId: id, token: tokenIn },
        { chainId: destChainId, token: tokenOut }
      ],
      ({ chainId, token }) =>
        Effect.map(moves.volatilityBps(chainId, token), (volatilityBps) => ({
          isStable: stablesOf(chainId).includes(token),
          volatilityBps
        }))
    )
    const kind = sides.every(({ isStable }) => isStable) ? "stable" : "volatile"
    const volatilityBps = SlippageTolerance.pairVolatilityBps(sides)
    return (impactBps?: number) =>
      SlippageTolerance.toleranceBps(
        {
          kind,
          crossesChains: id !== destChainId,
          impactBps,
          volatilityBps,
          lifetimeSeconds: quoteLifetimeMillis / 1_000
        },
        slippage
      )
  })
})
