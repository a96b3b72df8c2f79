/** Prices of several sources, and the worth of fees. */
import { Layer, type Redacted } from "effect"
import * as FeeSale from "../../adapters/prices/FeeSale.ts"
import * as PriceMoves from "../../adapters/prices/PriceMoves.ts"
import * as PoolMarkets from "../../adapters/prices/PoolMarkets.ts"
import * as SeveralPrices from "../../adapters/prices/SeveralSources.ts"
import type { OrchestratorSettingsShape } from "../../orchestrator/shared/OrchestratorSettings.ts"

export interface Options {
  readonly prices: "onchain" | "defillama"
  /** CoinGecko is asked if it has a key. */
  readonly coinGecko?: { readonly apiKey: Redacted.Redacted; readonly baseUrl: string } | undefined
  readonly settings: Pick<OrchestratorSettingsShape, "prices">
}

export const layer = ({ coinGecko, prices, settings }: Options) =>
  FeeSale.layer(settings.prices.unlistedHaircutBps).pipe(
    Layer.provideMerge(
      PriceMoves.layer.pipe(
        Layer.provide(
          SeveralPrices.layer({
            ...settings.prices,
            ...(prices === "defillama" ? { defiLlama: {} } : {}),
            ...(coinGecko === undefined ? {} : { coinGecko })
          })
        )
      )
    ),
    Layer.provide(PoolMarkets.layer({ minDepthUsd: BigInt(settings.prices.minDepthUsd) }))
  )
