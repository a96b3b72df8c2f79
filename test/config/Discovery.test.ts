import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Redacted } from "effect"
import * as DiscoveryOptions from "../../src/cli/DiscoveryOptions.ts"
import { OrchestratorConfig } from "../../src/config/Orchestrator.ts"

const KEY = "k3y"

const read = (environment: Readonly<Record<string, string>>) =>
  Effect.provide(
    OrchestratorConfig,
    ConfigProvider.layer(ConfigProvider.fromUnknown({ RELAYER_KEYS: "0x1", ...environment }))
  )

describe("the settings of discovery", () => {
  it.effect("ask nothing outside the chain by default", () =>
    Effect.gen(function* () {
      const values = yield* read({})
      expect(DiscoveryOptions.discovery(values)).toEqual({
        tokenLists: [],
        refreshMillis: 86_400_000,
        transferLogBlocks: 0,
        alchemyApiKey: undefined,
        goldRushApiKey: undefined
      })
      expect(DiscoveryOptions.coinGecko(values)).toBeUndefined()
      expect(values.priceMinSources).toBe(1)
    })
  )

  it.effect("name lists, each once, and keep keys redacted", () =>
    Effect.gen(function* () {
      const values = yield* read({
        TOKEN_LISTS: "https://lists.example/a.json, ./own.json,./own.json",
        TOKEN_LISTS_REFRESH_HOURS: "2",
        TRANSFER_LOG_BLOCKS: "5000",
        ALCHEMY_API_KEY: KEY,
        COINGECKO_API_KEY: KEY,
        COINGECKO_API_URL: "https://api.coingecko.com/api/v3"
      })
      const options = DiscoveryOptions.discovery(values)
      expect(options.tokenLists).toEqual(["https://lists.example/a.json", "./own.json"])
      expect(options.refreshMillis).toBe(7_200_000)
      expect(options.transferLogBlocks).toBe(5_000)
      const coinGecko = DiscoveryOptions.coinGecko(values)
      expect(coinGecko?.baseUrl).toBe("https://api.coingecko.com/api/v3")
      expect(Option.map(Option.fromUndefinedOr(options.alchemyApiKey), Redacted.value)).toEqual(Option.some(KEY))
      expect(`${JSON.stringify(options)}${JSON.stringify(coinGecko)}`).not.toContain(KEY)
    })
  )

  it.effect("refuse locations that are neither files nor http(s) URLs", () =>
    Effect.gen(function* () {
      for (const TOKEN_LISTS of [
        "ipns://tokens.uniswap.org",
        "ftp://lists.example/a.json",
        "https://",
        "a.json,,b.json"
      ]) {
        const error = yield* Effect.flip(read({ TOKEN_LISTS }))
        expect(error.message).toContain("TOKEN_LISTS")
      }
    })
  )
})
