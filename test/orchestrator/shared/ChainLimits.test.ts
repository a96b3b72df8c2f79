import { assert, describe, it } from "@effect/vitest"
import { cutUnlistedBudget } from "../../../src/orchestrator/shared/ChainLimits.ts"
import { chain } from "../../support/FakeChain.ts"

const relayer = {
  dailySpendCap: undefined,
  unlistedLossBudget: 20n,
  lossBudget: 20n,
  firstSweepsLossBudget: 40n
}

const eth = { ...chain, nativeSymbol: "ETH" }

describe("the loss budget of unlisted tokens", () => {
  it("is cut by a daily cap below 50 times its hour", () => {
    assert.isUndefined(cutUnlistedBudget(relayer, eth))
    assert.isUndefined(cutUnlistedBudget({ ...relayer, dailySpendCap: 1_000n }, eth))
    assert.deepStrictEqual(cutUnlistedBudget({ ...relayer, dailySpendCap: 999n }, eth), { hour: 20n, day: 99n })
    assert.deepStrictEqual(cutUnlistedBudget(relayer, { ...eth, dailySpendCapWei: 0n }), { hour: 20n, day: 0n })
  })

  it("is not cut where it is 0", () => {
    assert.isUndefined(cutUnlistedBudget(relayer, { ...eth, dailySpendCapWei: 0n, unlistedLossBudgetWei: 0n }))
  })
})
