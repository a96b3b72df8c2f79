import { assert, describe, it } from "@effect/vitest"
import * as OperatorFees from "../../src/domain/OperatorFees.ts"

const CAPPED = { baseFeePerGas: 100n, maxFeePerGas: 50n, maxPriorityFeePerGas: 2n }
const MARKET = { baseFeePerGas: 100n, maxFeePerGas: 202n, maxPriorityFeePerGas: 2n }

describe("fees of an operator's transaction", () => {
  it("are within the chain's limit, except in an emergency", () => {
    assert.deepStrictEqual(OperatorFees.marketFor(CAPPED, "ordinary"), CAPPED)
    assert.deepStrictEqual(OperatorFees.marketFor(CAPPED, "emergency"), MARKET)
    assert.deepStrictEqual(OperatorFees.marketFor(MARKET, "emergency"), MARKET)
    const generous = { ...MARKET, maxFeePerGas: 300n }
    assert.deepStrictEqual(OperatorFees.marketFor(generous, "emergency"), generous)
  })

  it("are raised up to four times the market's in an emergency, and are its tip", () => {
    assert.deepStrictEqual(OperatorFees.replacing(MARKET, MARKET), { maxFeePerGas: 228n, maxPriorityFeePerGas: 228n })
    assert.isUndefined(OperatorFees.replacing({ maxFeePerGas: 750n, maxPriorityFeePerGas: 750n }, MARKET))
  })
})
