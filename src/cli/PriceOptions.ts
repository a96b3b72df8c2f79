/** Checks that PRICE_MIN_SOURCES can be reached. */
import { Config, Effect, Option } from "effect"
import * as SeveralSources from "../adapters/prices/SeveralSources.ts"
import { orchestrator } from "../config/Orchestrator.ts"
import type { Chain } from "../domain/Chain.ts"
import type { FewSources } from "../domain/doctor/Settings.ts"
import { configuredChains } from "./ConfiguredChains.ts"
import { UsageError } from "./UsageError.ts"

/**
 * Makes `lackingOf(chain)`, which is undefined for a chain with enough sources. With a minimum of 1 no chain lacks any: that is the
 * default, and the service tells of a chain without prices while it runs.
 */
export const makeLacking = Effect.map(
  Config.all([orchestrator.priceMinSources.config, orchestrator.prices.config, orchestrator.coinGeckoApiKey.config]),
  ([needed, prices, key]) =>
    (chain: Chain): FewSources | undefined => {
      const asked = { defiLlama: prices === "defillama", coinGecko: Option.isSome(key) }
      const sources = SeveralSources.namesOf(chain, asked)
      return needed === 1 || sources.length >= needed ? undefined : { chain: chain.name, sources, needed }
    }
)

/** Fails if every chain lacks sources. Where only some do, doctor tells of them. */
export const priceSources = Effect.gen(function* () {
  const lackingOf = yield* makeLacking
  const chains = yield* configuredChains
  const lacking = chains.flatMap(({ chain }) => lackingOf(chain) ?? [])
  const [first] = lacking
  if (first === undefined || lacking.length < chains.length) return
  const those = lacking.map(({ chain, sources }) => `${chain}: ${sources.join(" and ") || "none"}`).join("; ")
  return yield* new UsageError({
    detail: `PRICE_MIN_SOURCES is ${first.needed}, and no chain has so many sources of prices (${those}), so that nothing could be quoted. Lower it, or add sources: PRICES=defillama, COINGECKO_API_KEY, or priceFeeds in the chains file`
  })
})
