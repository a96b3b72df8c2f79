/** Options of the choice of bridges, from the settings. */
import { Effect, Option } from "effect"
import type { Options } from "../apps/orchestrator/Bridges.ts"
import { bridges } from "../config/orchestrator/Bridges.ts"
import { routeProviders } from "../config/orchestrator/RouteProviders.ts"
import { valuesOf } from "../config/Setting.ts"

/** LI.FI has one key for its swaps and its bridges. */
export const bridgeOptions = Effect.gen(function* () {
  const config = yield* valuesOf(bridges)
  const { liFiApiKey, liFiApiUrl, liFiIntegrator } = yield* valuesOf(routeProviders)
  return {
    offered: config.bridgeProviders,
    maxInFlightUsd: config.bridgeMaxInFlightUsd,
    timeValueBpsPerHour: config.bridgeTimeValueBpsPerHour,
    relay: { apiUrl: config.relayApiUrl.href, apiKey: Option.getOrUndefined(config.relayApiKey) },
    cctp: { apiUrl: config.cctpApiUrl.href },
    liFi: {
      apiUrl: liFiApiUrl.href,
      apiKey: Option.getOrUndefined(liFiApiKey),
      integrator: Option.getOrUndefined(liFiIntegrator)
    }
  } satisfies Options
})
