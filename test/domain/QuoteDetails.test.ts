import { assert, describe, it } from "@effect/vitest"
import { detailsOf, type Quoted } from "../../src/domain/QuoteDetails.ts"

const USD = 10n ** 18n

/** 1,000 units of a token of 6 decimals at 1 dollar, for a token of 18 decimals at 2 dollars. */
const quoted: Quoted = {
  tier: "tier2",
  fees: { protocol: 5_000_000n, network: 2_500_001n, builder: 0n },
  swapAmount: 1_000_000_000n,
  minAmountOut: 495n * 10n ** 18n,
  estimatedAmountOut: 499n * 10n ** 18n,
  tokenIn: { usd: USD, feeUsd: USD, decimals: 6 },
  tokenOut: { usd: 2n * USD, decimals: 18 }
}

describe("details of a quote", () => {
  it("are each fee, the tier, the price impact, and values in US dollars", () => {
    assert.deepStrictEqual(detailsOf(quoted), {
      feeBreakdown: {
        protocol: { amount: 5_000_000n, usd: "5" },
        network: { amount: 2_500_001n, usd: "2.500001" },
        builder: { amount: 0n, usd: "0" }
      },
      appliedTier: "tier2",
      priceImpactBps: 20,
      minAmountOutUsd: "990",
      estimatedAmountOutUsd: "998"
    })
  })

  it("value fees at the price at which they are taken, and the swap at that of the token", () => {
    const details = detailsOf({ ...quoted, tokenIn: { usd: USD, feeUsd: USD / 2n, decimals: 6 } })
    assert.strictEqual(details.feeBreakdown?.protocol.usd, "2.5")
    assert.strictEqual(details.priceImpactBps, 20)
  })

  it("round against the service: fees up, output down, the impact up", () => {
    const details = detailsOf({
      ...quoted,
      fees: { protocol: 1n, network: 1n, builder: 1n },
      estimatedAmountOut: 499n * 10n ** 18n - 1n,
      minAmountOut: 1n,
      tokenIn: { usd: USD, feeUsd: 1n, decimals: 6 },
      tokenOut: { usd: 2n * USD, decimals: 19 }
    })
    assert.strictEqual(details.feeBreakdown?.network.usd, "0.000000000000000001")
    assert.strictEqual(details.minAmountOutUsd, "0")
    const slight = detailsOf({ ...quoted, estimatedAmountOut: 500n * 10n ** 18n - 1n })
    assert.strictEqual(slight.priceImpactBps, 1)
  })

  it.each([
    [500n * 10n ** 18n, 0],
    [501n * 10n ** 18n, -20],
    [0n, 10_000],
    [10n ** 30n, -10_000]
  ])("have an impact from -10000 to 10000: %d", (estimatedAmountOut, priceImpactBps) => {
    assert.strictEqual(detailsOf({ ...quoted, estimatedAmountOut }).priceImpactBps, priceImpactBps)
  })

  it("have no values of an output without a price, and no impact of an input without a value", () => {
    const unpriced = detailsOf({ ...quoted, tokenOut: undefined })
    assert.deepStrictEqual(
      [unpriced.priceImpactBps, unpriced.minAmountOutUsd, unpriced.estimatedAmountOutUsd],
      [null, null, null]
    )
    assert.strictEqual(unpriced.appliedTier, "tier2")
    assert.strictEqual(unpriced.feeBreakdown?.protocol.usd, "5")
    const worthless = detailsOf({ ...quoted, swapAmount: 1n, tokenIn: { usd: 1n, feeUsd: 1n, decimals: 6 } })
    assert.isNull(worthless.priceImpactBps)
  })
})
