/** The settings of sanctions screening reach its parts. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Redacted } from "effect"
import * as ScreeningOptions from "../../src/cli/ScreeningOptions.ts"
import { OrchestratorConfig } from "../../src/config/Orchestrator.ts"

const optionsOf = (env: Readonly<Record<string, string>>) =>
  Effect.map(OrchestratorConfig.parse(ConfigProvider.fromEnv({ env: { ...env } })), ScreeningOptions.fromSettings)

describe("the options of screening", () => {
  it.effect("are none by default", () =>
    Effect.gen(function* () {
      const { chainalysis, lists } = yield* optionsOf({})
      assert.isUndefined(chainalysis)
      assert.deepStrictEqual([lists?.file, lists?.download, lists?.keepIn], [undefined, undefined, undefined])
    })
  )

  it.effect("have each setting", () =>
    Effect.gen(function* () {
      const { chainalysis, lists, refreshMillis } = yield* optionsOf({
        OFAC_SNAPSHOT: "/own.txt",
        OFAC_SNAPSHOT_URL: "https://lists.example/SDN.XML",
        OFAC_LAST_LIST_FILE: "/last.json",
        OFAC_REFRESH_MINUTES: "60",
        OFAC_MAX_REMOVED_PERCENT: "5",
        CHAINALYSIS_API_KEY: "key",
        CHAINALYSIS_API_URL: "https://screening.example"
      })
      assert.deepStrictEqual(lists, {
        file: { path: "/own.txt" },
        download: { url: "https://lists.example/SDN.XML" },
        keepIn: "/last.json",
        maxRemovedPercent: 5
      })
      assert.strictEqual(refreshMillis, 3_600_000)
      assert.strictEqual(chainalysis?.baseUrl, "https://screening.example/")
      assert.strictEqual(chainalysis === undefined ? "" : Redacted.value(chainalysis.apiKey), "key")
    })
  )

  it.effect("do not let a list grow older than its alert allows", () =>
    Effect.gen(function* () {
      const { refreshMillis } = yield* optionsOf({ OFAC_REFRESH_MINUTES: "1440" })
      assert.strictEqual(refreshMillis, 86_400_000)
      assert.include((yield* Effect.flip(optionsOf({ OFAC_REFRESH_MINUTES: "1441" }))).message, "OFAC_REFRESH_MINUTES")
    })
  )
})
