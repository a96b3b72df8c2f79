/** Options of the services that are asked for routes, from the settings. */
import { Effect, Option } from "effect"
import type { Options } from "../apps/orchestrator/RouteServices.ts"
import { routeProviders } from "../config/orchestrator/RouteProviders.ts"
import { valuesOf } from "../config/Setting.ts"
import { UsageError } from "./UsageError.ts"

/** The services that are named, each with its own settings. Fails if a named one lacks a key that it needs. */
export const routeServices = Effect.gen(function* () {
  const config = yield* valuesOf(routeProviders)
  const isNamed = (name: (typeof config.routeProviders)[number]) => config.routeProviders.includes(name)
  const key = Option.getOrUndefined(config.zeroXApiKey)
  if (isNamed("0x") && key === undefined) {
    return yield* new UsageError({
      detail: `${routeProviders.routeProviders.name} names 0x, and ${routeProviders.zeroXApiKey.name} is not set. Set it to a key of 0x's Swap API, or leave 0x out`
    })
  }
  const options: Options = {
    zeroX: isNamed("0x") && key !== undefined ? { apiKey: key, baseUrl: config.zeroXApiUrl.href } : undefined,
    kyberSwap: isNamed("kyberswap")
      ? { baseUrl: config.kyberSwapApiUrl.href, clientId: Option.getOrUndefined(config.kyberSwapClientId) }
      : undefined,
    liFi: isNamed("lifi")
      ? {
          baseUrl: config.liFiApiUrl.href,
          apiKey: Option.getOrUndefined(config.liFiApiKey),
          integrator: Option.getOrUndefined(config.liFiIntegrator)
        }
      : undefined
  }
  return options
})
