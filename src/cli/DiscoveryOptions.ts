/** Options of the portfolio and of prices, from the settings of the environment. */
import { Option, type Redacted } from "effect"

interface Values {
  readonly tokenLists: ReadonlyArray<string>
  readonly tokenListsRefreshHours: number
  readonly transferLogBlocks: number
  readonly alchemyApiKey: Option.Option<Redacted.Redacted>
  readonly goldRushApiKey: Option.Option<Redacted.Redacted>
  readonly coinGeckoApiKey: Option.Option<Redacted.Redacted>
  readonly coinGeckoApiUrl: URL
}

export const discovery = (values: Values) => ({
  tokenLists: values.tokenLists,
  refreshMillis: values.tokenListsRefreshHours * 3_600_000,
  transferLogBlocks: values.transferLogBlocks,
  alchemyApiKey: Option.getOrUndefined(values.alchemyApiKey),
  goldRushApiKey: Option.getOrUndefined(values.goldRushApiKey)
})

export const coinGecko = ({ coinGeckoApiKey, coinGeckoApiUrl }: Values) =>
  Option.getOrUndefined(Option.map(coinGeckoApiKey, (apiKey) => ({ apiKey, baseUrl: coinGeckoApiUrl.href })))
