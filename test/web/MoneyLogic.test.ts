/** Figures of the console's page about money. */
import { assert, describe, it } from "@effect/vitest"
import { moneyFile } from "../../src/web/admin/moneyFile.ts"
import { runwayHours } from "../../src/web/admin/runway.ts"
import { dollars } from "../../src/web/lib/usd.ts"
import { parts } from "../ports/builder/OrchestratorOperations.suite.ts"

describe("the runway of a lane", () => {
  const lane = { chainId: 1, balance: 480n }
  const health = (spent: bigint | null, lanes = 1) => ({
    lanes: Array.from({ length: lanes }, () => ({ ...parts.health.lanes[0], ...lane })) as typeof parts.health.lanes,
    relaying: [{ chainId: 1, status: "ok" as const, paused: false, spent, dailyCap: null }]
  })

  it("is its balance at the chain's rate of the last day, which its lanes share", () => {
    assert.strictEqual(runwayHours(health(240n), lane), 48)
    assert.strictEqual(runwayHours(health(240n, 3), lane), 144)
  })

  it("is not shared with lanes out of use, which have none", () => {
    const { lanes, relaying } = health(240n, 3)
    const retired = lanes.map((each, index) => (index === 0 ? each : { ...each, state: "retired" as const }))
    assert.strictEqual(runwayHours({ lanes: retired, relaying }, { ...lane, state: "active" }), 48)
    assert.isUndefined(runwayHours({ lanes: retired, relaying }, { ...lane, state: "draining" }))
  })

  it("is unknown without a rate or a balance", () => {
    assert.isUndefined(runwayHours(health(0n), lane))
    assert.isUndefined(runwayHours(health(null), lane))
    assert.isUndefined(runwayHours(health(240n), { ...lane, balance: null }))
  })
})

describe("the file of earnings", () => {
  it("has every group with exact dollars, and runs nothing in a spreadsheet", () => {
    const view = { ...parts.money, builders: [{ ...parts.money.total, builderId: "=cmd" }] }
    const lines = moneyFile(view, (chainId) => `chain ${chainId}`).split("\r\n")
    assert.strictEqual(
      lines[0],
      "group,key,from_day,days,sweeps,failed,fees_usd,gas_usd,failures_usd,net_usd,sweeps_without_price,gas_without_price"
    )
    assert.strictEqual(lines[1], "all,,2026-01-02,30,1204,3,412.07,96.31,1.2,314.56,12,yes")
    assert.strictEqual(lines[3], "chain,chain 2,2026-01-02,30,4,3,0,0,2.5,-2.5,4,yes")
    assert.isTrue(lines.some((line) => line.startsWith("builder,'=cmd,")))
    assert.isTrue(lines.some((line) => line.startsWith("tier,tier3,")))
  })
})

describe("a loss in dollars", () => {
  it("has its sign before the currency", () => {
    assert.strictEqual(dollars("-1234.5"), "-$1,234.50")
    assert.strictEqual(dollars("-0.001"), "-<$0.01")
  })
})
