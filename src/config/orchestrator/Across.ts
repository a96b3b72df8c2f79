/** Settings of the bridge Across. */
import { Config } from "effect"
import { BPS, integer, optional, secret, setting } from "../Setting.ts"

export const across = {
  acrossApiUrl: setting({
    name: "ACROSS_API_URL",
    default: new URL("https://app.across.to/api"),
    check: Config.URL,
    meaning:
      "Base URL of the Across API without a key, which quotes bridge fees. With `ACROSS_API_KEY`, it is the fallback."
  }),
  acrossApiKey: secret({
    name: "ACROSS_API_KEY",
    meaning: "API key of Across. If set, the API at `ACROSS_V1_API_URL` is asked for bridge fees first."
  }),
  acrossV1ApiUrl: setting({
    name: "ACROSS_V1_API_URL",
    default: new URL("https://api.across.to/v1"),
    check: Config.URL,
    meaning: "Base URL of the Across API that takes the key."
  }),
  acrossOnchainFeeBps: optional({
    name: "ACROSS_ONCHAIN_FEE_BPS",
    check: integer(BPS),
    meaning:
      "Maximum bridge fee in basis points while no Across API answers. The fee is then computed from Across's pools on Ethereum and the price of gas, where `chains` has Ethereum and the token is known there; elsewhere it is this maximum. Relayers fill such a deposit only if the fee covers their cost, and an unfilled one is refunded after hours. If not set, there is no route in that time."
  }),
  acrossFixedFeeBps: optional({
    name: "ACROSS_FIXED_FEE_BPS",
    check: integer(BPS),
    meaning:
      "Bridge fee in basis points, for networks without the Across API such as the local one. If set, no API is called."
  })
} as const
