import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Redacted } from "effect"
import { routeServices } from "../../src/cli/RouteServiceOptions.ts"
import { sentence } from "../../src/cli/Problems.ts"
import { routeProviders } from "../../src/config/orchestrator/RouteProviders.ts"

const env = (values: Record<string, string>) => ConfigProvider.layer(ConfigProvider.fromEnv({ env: values }))
const named = (ROUTE_PROVIDERS: string) =>
  routeProviders.routeProviders.config.parse(ConfigProvider.fromEnv({ env: { ROUTE_PROVIDERS } }))

describe("ROUTE_PROVIDERS", () => {
  it.effect("names services, each once", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* named(""), [])
      assert.deepStrictEqual(yield* named("kyberswap"), ["kyberswap"])
      assert.deepStrictEqual(yield* named("lifi, 0x,lifi"), ["lifi", "0x"])
    })
  )

  it.effect("refuses other names, and names the nearest right one", () =>
    Effect.gen(function* () {
      const refusal = (text: string) => Effect.map(Effect.flip(named(text)), sentence)
      const expected = "expected names of services among 0x, kyberswap, lifi, separated by commas"
      assert.strictEqual(yield* refusal("kyberswop"), `ROUTE_PROVIDERS: ${expected}. Did you mean kyberswap?`)
      assert.strictEqual(yield* refusal("0x,uniswap"), `ROUTE_PROVIDERS: ${expected}`)
    })
  )
})

describe("the services of the settings", () => {
  it.effect("are none by default, also with keys", () =>
    Effect.gen(function* () {
      const none = { zeroX: undefined, kyberSwap: undefined, liFi: undefined }
      assert.deepStrictEqual(yield* Effect.provide(routeServices, env({})), none)
      assert.deepStrictEqual(yield* Effect.provide(routeServices, env({ ZEROX_API_KEY: "k", LIFI_API_KEY: "k" })), none)
    })
  )

  it.effect("are the named ones, each with its settings", () =>
    Effect.gen(function* () {
      const made = yield* Effect.provide(
        routeServices,
        env({
          ROUTE_PROVIDERS: "0x,kyberswap,lifi",
          ZEROX_API_KEY: "k1",
          KYBERSWAP_CLIENT_ID: "sweeper",
          KYBERSWAP_API_URL: "https://kyber.example/base",
          LIFI_INTEGRATOR: "app"
        })
      )
      assert.strictEqual(made.zeroX && Redacted.value(made.zeroX.apiKey), "k1")
      assert.deepStrictEqual(made.kyberSwap, { baseUrl: "https://kyber.example/base", clientId: "sweeper" })
      assert.deepStrictEqual(made.liFi, { baseUrl: "https://li.quest/", apiKey: undefined, integrator: "app" })
    })
  )

  it.effect("refuse 0x without a key", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Effect.provide(routeServices, env({ ROUTE_PROVIDERS: "0x" })))
      assert.include(sentence(error), "ZEROX_API_KEY is not set")
    })
  )
})
