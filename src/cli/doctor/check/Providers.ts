/** Checks each configured outside service by one cheap request, and its key with it. */
import { Effect, Option, Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import { orchestrator, OrchestratorConfig, type OrchestratorValues } from "../../../config/Orchestrator.ts"
import * as Services from "../../../domain/doctor/Services.ts"
import type { Check } from "../Check.ts"
import { outcomeOf } from "../Outcome.ts"

interface Probe {
  readonly name: string
  /** Setting of its key, if the service has one and it is set. */
  readonly keySetting: string | undefined
  readonly request: HttpClientRequest.HttpClientRequest
}

type Secret = Option.Option<Redacted.Redacted>

const at = (base: URL | string, path: string): string => `${String(base).replace(/\/$/, "")}${path}`

const get = (base: URL | string, path: string, headers: Readonly<Record<string, string>> = {}) =>
  HttpClientRequest.get(at(base, path)).pipe(HttpClientRequest.setHeaders(headers))

const header = (name: string, secret: Secret, prefix = ""): Readonly<Record<string, string>> =>
  Option.match(secret, { onNone: () => ({}), onSome: (key) => ({ [name]: `${prefix}${Redacted.value(key)}` }) })

const named = (setting: { readonly name: string }, secret: Secret) => (Option.isSome(secret) ? setting.name : undefined)

/** Requests for routes lack their parameters: a service that takes the key answers that they are missing. */
const routes = (config: OrchestratorValues): ReadonlyArray<Probe> => {
  const { bridgeProviders, routeProviders } = config
  const usesLiFi = routeProviders.includes("lifi") || bridgeProviders.includes("lifi")
  const liFi: Probe = {
    name: "LI.FI",
    keySetting: named(orchestrator.liFiApiKey, config.liFiApiKey),
    request: get(
      config.liFiApiUrl,
      Option.isSome(config.liFiApiKey) ? "/v1/keys/test" : "/v1/chains",
      header("x-lifi-api-key", config.liFiApiKey)
    )
  }
  const zeroX: Probe = {
    name: "0x",
    keySetting: named(orchestrator.zeroXApiKey, config.zeroXApiKey),
    request: get(config.zeroXApiUrl, "/swap/allowance-holder/price", {
      ...header("0x-api-key", config.zeroXApiKey),
      "0x-version": "v2"
    })
  }
  const kyberSwap: Probe = {
    name: "KyberSwap",
    keySetting: undefined,
    request: get(config.kyberSwapApiUrl, "/base/api/v1/routes")
  }
  const relay: Probe = {
    name: "Relay",
    keySetting: named(orchestrator.relayApiKey, config.relayApiKey),
    request: get(config.relayApiUrl, "/chains", header("x-api-key", config.relayApiKey))
  }
  const cctp: Probe = {
    name: "Circle CCTP",
    keySetting: undefined,
    request: get(config.cctpApiUrl, "/v2/publicKeys")
  }
  return [
    ...(routeProviders.includes("0x") ? [zeroX] : []),
    ...(routeProviders.includes("kyberswap") ? [kyberSwap] : []),
    ...(usesLiFi ? [liFi] : []),
    ...(bridgeProviders.includes("relay") ? [relay] : []),
    ...(bridgeProviders.includes("cctp") ? [cctp] : []),
    ...across(config)
  ]
}

const across = (config: OrchestratorValues): ReadonlyArray<Probe> => {
  if (Option.isSome(config.acrossFixedFeeBps)) return []
  const keyed: Probe = {
    name: "Across",
    keySetting: orchestrator.acrossApiKey.name,
    request: get(config.acrossV1ApiUrl, "/suggested-fees", header("authorization", config.acrossApiKey, "Bearer "))
  }
  const open: Probe = {
    name: "Across without a key",
    keySetting: undefined,
    request: get(config.acrossApiUrl, "/suggested-fees")
  }
  return Option.isSome(config.acrossApiKey) ? [keyed, open] : [open]
}

const COINGECKO_DEMO_HOST = "api.coingecko.com"

const prices = (config: OrchestratorValues): ReadonlyArray<Probe> => {
  const keyHeader = config.coinGeckoApiUrl.host === COINGECKO_DEMO_HOST ? "x-cg-demo-api-key" : "x-cg-pro-api-key"
  const coinGecko: Probe = {
    name: "CoinGecko",
    keySetting: orchestrator.coinGeckoApiKey.name,
    request: get(config.coinGeckoApiUrl, "/ping", header(keyHeader, config.coinGeckoApiKey))
  }
  const defiLlama: Probe = {
    name: "DefiLlama",
    keySetting: undefined,
    request: get("https://coins.llama.fi", "/prices/current/coingecko:ethereum")
  }
  return [
    ...(Option.isSome(config.coinGeckoApiKey) ? [coinGecko] : []),
    ...(config.prices === "defillama" ? [defiLlama] : [])
  ]
}

const discovery = ({ alchemyApiKey, goldRushApiKey }: OrchestratorValues): ReadonlyArray<Probe> => [
  ...Option.toArray(alchemyApiKey).map((key) => ({
    name: "Alchemy",
    keySetting: orchestrator.alchemyApiKey.name,
    request: HttpClientRequest.post(
      at("https://api.g.alchemy.com/data/v1", `/${encodeURIComponent(Redacted.value(key))}/assets/tokens/by-address`)
    ).pipe(HttpClientRequest.bodyJsonUnsafe({}))
  })),
  ...(Option.isSome(goldRushApiKey)
    ? [
        {
          name: "GoldRush",
          keySetting: orchestrator.goldRushApiKey.name,
          request: get("https://api.covalenthq.com/v1", "/chains/", header("authorization", goldRushApiKey, "Bearer "))
        }
      ]
    : [])
]

const NOBODY = "0x000000000000000000000000000000000000dead"

const risk = (config: OrchestratorValues): ReadonlyArray<Probe> => [
  ...(Option.isSome(config.chainalysisApiKey)
    ? [
        {
          name: "Chainalysis",
          keySetting: orchestrator.chainalysisApiKey.name,
          request: get(
            config.chainalysisApiUrl,
            `/api/v1/address/${NOBODY}`,
            header("X-API-Key", config.chainalysisApiKey)
          )
        }
      ]
    : []),
  ...(config.riskServices.includes("goplus")
    ? [
        {
          name: "GoPlus",
          keySetting: named(orchestrator.goplusApiKey, config.goplusApiKey),
          request: get(
            "https://api.gopluslabs.io",
            "/api/v1/supported_chains",
            header("Authorization", config.goplusApiKey)
          )
        }
      ]
    : []),
  ...(config.riskServices.includes("honeypot")
    ? [
        {
          name: "honeypot.is",
          keySetting: named(orchestrator.honeypotApiKey, config.honeypotApiKey),
          request: get("https://api.honeypot.is", "/v2/IsHoneypot", header("X-API-KEY", config.honeypotApiKey))
        }
      ]
    : [])
]

export const providers: Check = {
  name: "providers",
  services: ["orchestrator"],
  findings: Effect.fnUntraced(function* () {
    const config = yield* OrchestratorConfig
    const probes = [...routes(config), ...prices(config), ...discovery(config), ...risk(config)]
    return yield* Effect.forEach(
      probes,
      ({ keySetting, name, request }) =>
        Effect.map(outcomeOf(request), (outcome) => Services.judgeProvider({ name, keySetting, outcome })),
      { concurrency: "unbounded" }
    )
  })
}
