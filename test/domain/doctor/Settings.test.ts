import { assert, describe, it } from "@effect/vitest"
import { judge, type SettingsFacts } from "../../../src/domain/doctor/Settings.ts"

const FACTS: SettingsFacts = {
  service: "orchestrator",
  problems: [],
  misspelt: [],
  hasDatabaseUrl: true,
  adminTokenLength: 32,
  missingBackend: [],
  hasDashboard: true,
  allowsPrivateWebhooks: false,
  cutBudgets: [],
  fewSources: []
}

describe("the settings of a service", () => {
  it("are well if nothing is missing or wrong", () => {
    assert.deepStrictEqual(
      judge(FACTS).map(({ code }) => code),
      ["settings_ok"]
    )
  })

  it("are told where a chain has too few sources of prices", () => {
    const fewSources = [
      { chain: "base", sources: ["uniswap-v3", "chainlink"], needed: 3 },
      { chain: "local", sources: [], needed: 3 }
    ]
    assert.deepStrictEqual(
      judge({ ...FACTS, fewSources }).map(({ code, level, seen, subject }) => [level, code, subject, seen]),
      [
        ["error", "price_sources_few", "base", "3 must agree, and it has uniswap-v3 and chainlink"],
        ["error", "price_sources_few", "local", "3 must agree, and it has none"],
        ["ok", "settings_ok", "orchestrator", "every setting can be read"]
      ]
    )
  })

  it("are told where one cuts another", () => {
    const [cut, well] = judge({ ...FACTS, cutBudgets: [{ chain: "base", hour: 20n, day: 99n }] })
    assert.deepInclude(cut, {
      level: "warning",
      code: "unlisted_budget_cut",
      subject: "base",
      seen: "20 wei in one hour is set, and 99 wei in 24 hours holds"
    })
    assert.strictEqual(well?.code, "settings_ok")
  })
})
