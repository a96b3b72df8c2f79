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

  it("are raised up to the chain's limit, or to four times the market's", () => {
    const replacing = (urgency: OperatorFees.Urgency, limit?: bigint) =>
      OperatorFees.replacing(MARKET, MARKET, { urgency, limit })
    assert.deepStrictEqual(replacing("ordinary"), { maxFeePerGas: 228n, maxPriorityFeePerGas: 3n })
    assert.deepStrictEqual(replacing("ordinary", 228n), { maxFeePerGas: 228n, maxPriorityFeePerGas: 3n })
    assert.isUndefined(replacing("ordinary", 227n))
    // The whole fee of an emergency is its tip, so a pending transaction with a high tip cannot hold it back.
    assert.deepStrictEqual(replacing("emergency", 1n), { maxFeePerGas: 228n, maxPriorityFeePerGas: 228n })
    const high = { maxFeePerGas: 750n, maxPriorityFeePerGas: 750n }
    assert.isUndefined(OperatorFees.replacing(high, MARKET, { urgency: "emergency", limit: undefined }))
  })
})
