import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Redacted } from "effect"
import { bridgeOptions } from "../../src/cli/BridgeOptions.ts"
import { sentence } from "../../src/cli/Problems.ts"

const optionsOf = (values: Record<string, string>) =>
  Effect.provide(bridgeOptions, ConfigProvider.layer(ConfigProvider.fromEnv({ env: values })))

describe("the bridges of the settings", () => {
  it.effect("are Across alone by default, also with keys", () =>
    Effect.gen(function* () {
      const { maxInFlightUsd, offered, timeValueBpsPerHour } = yield* optionsOf({
        RELAY_API_KEY: "k",
        LIFI_API_KEY: "k"
      })
      assert.deepStrictEqual(offered, [])
      assert.strictEqual(timeValueBpsPerHour, 60)
      assert.strictEqual(maxInFlightUsd, 1_000)
    })
  )

  it.effect("are the named ones, each once and with its settings", () =>
    Effect.gen(function* () {
      const { cctp, liFi, offered, relay, timeValueBpsPerHour } = yield* optionsOf({
        BRIDGE_PROVIDERS: "lifi, relay,lifi",
        BRIDGE_TIME_VALUE_BPS_PER_HOUR: "0",
        RELAY_API_URL: "https://relay.example/base",
        RELAY_API_KEY: "k1",
        CCTP_API_URL: "https://iris.example",
        LIFI_INTEGRATOR: "app"
      })
      assert.deepStrictEqual(offered, ["lifi", "relay"])
      assert.strictEqual(timeValueBpsPerHour, 0)
      assert.strictEqual(relay.apiUrl, "https://relay.example/base")
      assert.strictEqual(relay.apiKey && Redacted.value(relay.apiKey), "k1")
      assert.strictEqual(cctp.apiUrl, "https://iris.example/")
      assert.deepStrictEqual(liFi, { apiUrl: "https://li.quest/", apiKey: undefined, integrator: "app" })
    })
  )

  it.effect("have no other names", () =>
    Effect.gen(function* () {
      const refused = sentence(yield* Effect.flip(optionsOf({ BRIDGE_PROVIDERS: "rely" })))
      assert.include(refused, "expected names of services among relay, lifi, cctp")
      assert.include(refused, "Did you mean relay?")
    })
  )
})
