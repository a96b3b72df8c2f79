/** Settings of the bridges beside Across, and of the choice among them. */
import { Config, Option, Schema } from "effect"
import { nearest } from "../../domain/Nearest.ts"
import { integer, list, secret, setting } from "../Setting.ts"

const NAMES = ["relay", "lifi", "cctp"] as const
export type BridgeProviderName = (typeof NAMES)[number]

const isName = (name: string): name is BridgeProviderName => (NAMES as ReadonlyArray<string>).includes(name)

const unknownName = (name: string): string => {
  const meant = Option.match(nearest(name, NAMES), { onNone: () => "", onSome: (found) => `. Did you mean ${found}?` })
  return `expected names of services among ${NAMES.join(", ")}, separated by commas${meant}`
}

const Name = Schema.String.pipe(
  Schema.check(Schema.makeFilter((text: string) => isName(text.trim()) || unknownName(text.trim())))
)

const names = (variable: string) =>
  Config.Array(Name, variable).pipe(
    Config.map((entries) => [...new Set(entries.map((entry) => entry.trim()).filter(isName))])
  )

export const bridges = {
  bridgeProviders: list({
    name: "BRIDGE_PROVIDERS",
    check: names,
    meaning:
      "Services that are asked for routes across chains beside Across, separated by commas: `relay`, `lifi`, `cctp`. A service is used where `targets` of the chains file names its contract and the guard lists it. The order of a `relay` deposit does not bind the service: it alone guarantees the recipient."
  }),
  relayApiKey: secret({
    name: "RELAY_API_KEY",
    meaning: "Key of Relay's API. Without it, Relay allows 50 quotes a minute."
  }),
  relayApiUrl: setting({
    name: "RELAY_API_URL",
    default: new URL("https://api.relay.link"),
    check: Config.URL,
    meaning: "Base URL of Relay's API."
  }),
  cctpApiUrl: setting({
    name: "CCTP_API_URL",
    default: new URL("https://iris-api.circle.com"),
    check: Config.URL,
    meaning: "Base URL of Circle's API for CCTP. It tells fees and attested messages."
  }),
  bridgeMaxInFlightUsd: setting({
    name: "BRIDGE_MAX_IN_FLIGHT_USD",
    default: 1_000,
    check: integer({ from: 0, to: 1_000_000_000 }),
    meaning:
      "Maximum value of unfinished sweeps that a bridge carries on the word of its service, which is `relay`, in US dollars. A service that lies or stops costs owners at most this. Beyond it, the bridge has no route, and signed sweeps of it are refused until others are delivered. With 0, none is carried."
  }),
  bridgeTimeValueBpsPerHour: setting({
    name: "BRIDGE_TIME_VALUE_BPS_PER_HOUR",
    default: 60,
    check: integer({ from: 0, to: 10_000 }),
    meaning:
      "Part of the arriving amount that an hour less is worth, in basis points, when several bridges have a route. 0: only the amount counts."
  })
} as const
