/** Settings of the services that are asked for routes over HTTP. */
import { Config, Option, Schema } from "effect"
import { nearest } from "../../domain/Nearest.ts"
import { list, optional, secret, setting } from "../Setting.ts"

const NAMES = ["0x", "kyberswap", "lifi"] as const
export type RouteProviderName = (typeof NAMES)[number]

const isName = (name: string): name is RouteProviderName => (NAMES as ReadonlyArray<string>).includes(name)

const unknownName = (name: string): string => {
  const meant = Option.match(nearest(name, NAMES), { onNone: () => "", onSome: (found) => `. Did you mean ${found}?` })
  return `expected names of services among ${NAMES.join(", ")}, separated by commas${meant}`
}

const entriesOf = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")

const Names = Schema.String.check(
  Schema.makeFilter((text: string) => {
    const wrong = entriesOf(text).find((entry) => !isName(entry))
    return wrong === undefined || unknownName(wrong)
  })
)

const names = (variable: string) =>
  Config.map(Config.schema(Names, variable), (text) => [...new Set(entriesOf(text).filter(isName))])

export const routeProviders = {
  routeProviders: list({
    name: "ROUTE_PROVIDERS",
    check: names,
    meaning:
      "Services that are asked for routes beside the exchanges of the chains file, separated by commas: `0x`, `kyberswap`, `lifi`. A service is used on chains whose guard lists its router."
  }),
  zeroXApiKey: secret({
    name: "ZEROX_API_KEY",
    meaning: "Key of 0x's Swap API. Required if `ROUTE_PROVIDERS` names `0x`."
  }),
  zeroXApiUrl: setting({
    name: "ZEROX_API_URL",
    default: new URL("https://api.0x.org"),
    check: Config.URL,
    meaning: "Base URL of 0x's Swap API v2."
  }),
  kyberSwapClientId: optional({
    name: "KYBERSWAP_CLIENT_ID",
    check: Config.NonEmptyString,
    meaning: "Name by which KyberSwap knows the operator and sets the limit of requests."
  }),
  kyberSwapApiUrl: setting({
    name: "KYBERSWAP_API_URL",
    default: new URL("https://aggregator-api.kyberswap.com"),
    check: Config.URL,
    meaning: "Base URL of KyberSwap's aggregator."
  }),
  liFiApiKey: secret({
    name: "LIFI_API_KEY",
    meaning: "Key of LI.FI's API. Without it, LI.FI allows 75 quotes in two hours."
  }),
  liFiApiUrl: setting({
    name: "LIFI_API_URL",
    default: new URL("https://li.quest"),
    check: Config.URL,
    meaning: "Base URL of LI.FI's API."
  }),
  liFiIntegrator: optional({
    name: "LIFI_INTEGRATOR",
    check: Config.NonEmptyString,
    meaning: "Name of the operator's app at LI.FI."
  })
} as const
