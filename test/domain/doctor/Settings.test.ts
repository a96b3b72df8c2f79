import { assert, describe, it } from "@effect/vitest"
import { judge, judgeResumed, type SettingsFacts } from "../../../src/domain/doctor/Settings.ts"

const FACTS: SettingsFacts = {
  service: "orchestrator",
  problems: [],
  misspelt: [],
  hasDatabaseUrl: true,
  hasComposeDatabase: false,
  publicChains: [],
  adminTokenLength: 32,
  missingBackend: [],
  hasDashboard: true,
  allowsPrivateWebhooks: false,
  cutBudgets: [],
  fewSources: [],
  unserved: []
}

describe("the settings of a service", () => {
  it("are well if nothing is missing or wrong", () => {
    assert.deepStrictEqual(
      judge(FACTS).map(({ code }) => code),
      ["settings_ok"]
    )
  })

  it("lack a database on public chains, unless Docker Compose sets it, and may do without on local networks", () => {
    const judged = (change: Partial<SettingsFacts>) =>
      judge({ ...FACTS, hasDatabaseUrl: false, ...change })
        .filter(({ subject }) => subject === "DATABASE_URL")
        .map(({ code, level, seen }) => [level, code, seen])
    const publicChains = ["base", "optimism"]
    assert.deepStrictEqual(judged({ hasDatabaseUrl: true, publicChains }), [])
    assert.deepStrictEqual(judged({}), [["warning", "database_embedded", "it is not set"]])
    assert.deepStrictEqual(judged({ publicChains }), [
      ["error", "database_missing", "it is not set, and the chains base, optimism are served"]
    ])
    assert.deepStrictEqual(judged({ publicChains, hasComposeDatabase: true }), [
      ["warning", "database_embedded", "it is not set, and POSTGRES_PASSWORD is"]
    ])
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

  it("are told where they name a chain that is not served, and where an operator has overridden them", () => {
    const unserved = [{ setting: "RELAYER_PAUSED_CHAINS", chainId: 84_530 }]
    const [finding] = judge({ ...FACTS, unserved })
    assert.deepInclude(finding, {
      level: "warning",
      code: "setting_chain_unserved",
      subject: "RELAYER_PAUSED_CHAINS",
      seen: "chain 84530 is not in the chains file"
    })
    const [overridden] = judgeResumed("RELAYER_PAUSED_CHAINS", [{ chainId: 8_453, actor: "ops", sinceMs: 0 }])
    assert.deepInclude(overridden, {
      level: "warning",
      code: "setting_overridden",
      subject: "RELAYER_PAUSED_CHAINS 8453",
      seen: "ops resumed the chain at 1970-01-01T00:00:00.000Z"
    })
    assert.include(overridden?.advice, "./sweep operate reset chain:8453")
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
