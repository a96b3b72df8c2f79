/** {@link Prices} of several sources. Each source is asked for the tokens that the sources before it have no price for. */
import { Effect, Layer, Result } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { UsdPrice } from "../../domain/Fees.ts"
import { Prices, PricesUnavailable } from "../../ports/orchestrator/Prices.ts"
import * as DefiLlama from "./DefiLlama.ts"
import type { PricedToken } from "./PriceCache.ts"
import * as UniswapV3Prices from "./UniswapV3Prices.ts"

/**
 * Combines sources, the most trusted first. A source that fails is skipped. Prices are unavailable only if every source that
 * was asked has failed.
 */
export const fallback = (sources: ReadonlyArray<Prices["Service"]>): Prices["Service"] => ({
  usd: Effect.fn("Prices.usd")(function* (chainId: ChainId, tokens: ReadonlyArray<PricedToken>) {
    const prices = new Map<Address.Address, UsdPrice>()
    const failures: Array<string> = []
    let answered = tokens.length === 0
    for (const source of sources) {
      const missing = tokens.filter((token) => !prices.has(token.address))
      if (missing.length === 0) break
      const outcome = yield* Effect.result(source.usd(chainId, missing))
      if (Result.isFailure(outcome)) {
        failures.push(outcome.failure.detail)
        continue
      }
      answered = true
      for (const { address } of missing) {
        const price = outcome.success.get(address)
        if (price !== undefined) prices.set(address, price)
      }
    }
    if (!answered) return yield* new PricesUnavailable({ detail: failures.join("; ") || "no source is configured" })
    return prices
  })
})

/** DefiLlama first, then the chain's pools for tokens without a price or if DefiLlama fails. */
export const layer = (
  options: { readonly defiLlama?: DefiLlama.Options; readonly uniswapV3?: UniswapV3Prices.Options } = {}
) =>
  Layer.effect(
    Prices,
    Effect.map(Effect.all([DefiLlama.make(options.defiLlama), UniswapV3Prices.make(options.uniswapV3)]), fallback)
  )
