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
  cutBudgets: []
}

describe("the settings of a service", () => {
  it("are well if nothing is missing or wrong", () => {
    assert.deepStrictEqual(
      judge(FACTS).map(({ code }) => code),
      ["settings_ok"]
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
