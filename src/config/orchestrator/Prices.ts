/** Settings of US dollar prices. */
import { Config } from "effect"
import { BPS, integer, NON_NEGATIVE, oneOf, secret, setting } from "../Setting.ts"

export const prices = {
  prices: setting({
    name: "PRICES",
    default: "onchain",
    check: oneOf("onchain", "defillama"),
    meaning:
      "Sources of US dollar prices: `onchain` for Uniswap v3 pools and the Chainlink feeds of the chains file, `defillama` for DefiLlama beside them. The median counts."
  }),
  priceMaxDeviationBps: setting({
    name: "PRICE_MAX_DEVIATION_BPS",
    default: 1_000,
    check: integer(BPS),
    meaning:
      "Distance from the last good price of a listed token, in basis points. A price further away counts once a second source confirms it or it has lasted for ten minutes. Until then the last good price counts and the alert `price_deviates` stands, as while the sources differ from each other by more: no price is kept as the last good one then."
  }),
  priceMaxAgeSeconds: setting({
    name: "PRICE_MAX_AGE_SECONDS",
    default: 900,
    check: integer(NON_NEGATIVE),
    meaning: "Maximum age of the last good price of a listed token, in seconds. An older one does not count."
  }),
  priceMinSources: setting({
    name: "PRICE_MIN_SOURCES",
    default: 1,
    check: integer({ from: 1, to: 4 }),
    meaning:
      "Number of sources that must agree on a price before fees are computed from it. Portfolios show other prices as doubtful. With 2 or more, tokens that fewer sources have are not quoted. At most the number of sources that a chain of the chains file has."
  }),
  coinGeckoApiKey: secret({
    name: "COINGECKO_API_KEY",
    meaning: "Key of CoinGecko's API, which is then a source of prices. If not set, it is not asked."
  }),
  coinGeckoApiUrl: setting({
    name: "COINGECKO_API_URL",
    default: new URL("https://pro-api.coingecko.com/api/v3"),
    check: Config.URL,
    meaning: "Base URL of CoinGecko's API. Keys of the demo plan need `https://api.coingecko.com/api/v3`."
  }),
  priceMinDepthUsd: setting({
    name: "PRICE_MIN_DEPTH_USD",
    default: 200,
    check: integer(NON_NEGATIVE),
    meaning: "US dollars that a pool must pay before its price has moved by 3 %. Other pools do not count for prices."
  }),
  unlistedHaircutBps: setting({
    name: "UNLISTED_FEE_HAIRCUT_BPS",
    default: 2_000,
    check: integer({ from: 0, to: 9_999 }),
    meaning:
      "Part of what a fee in an unlisted token sells for that does not count, in basis points. A fee that does not cover the gas without it is declined."
  })
} as const
