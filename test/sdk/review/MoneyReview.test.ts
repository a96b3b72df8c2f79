/** The limits of fees, slippage and price that a review keeps without being asked to. */
import { assert, describe, it } from "vitest"
import {
  type IndependentPrice,
  OrderMismatchError,
  readOffer,
  reviewOrder,
  type ReviewOptions,
  type SweepRequest
} from "../../../src/sdk/index.ts"
import { known, request, routed, swapOf, wireOffer, type WireOffer } from "../Offers.ts"

const objections = (
  wire: WireOffer,
  more: ReviewOptions = {},
  asked: SweepRequest = request
): ReadonlyArray<string> => {
  try {
    reviewOrder(readOffer(wire), asked, { ...known, ...more })
    return []
  } catch (error) {
    if (!(error instanceof OrderMismatchError)) throw error
    assert.isTrue(error.mismatches.every(({ limit }) => limit === true))
    return error.mismatches.map(({ field }) => field)
  }
}

const withFee = (feeAmount: bigint) =>
  wireOffer(request, {
    order: {
      feeAmount: feeAmount.toString(),
      swapCalldata: routed(swapOf({ amountIn: request.amountIn - feeAmount }))
    },
    quote: { total: feeAmount.toString() }
  })

const usdc = (usd: number): IndependentPrice => ({ chainId: 8453, token: request.tokenIn, decimals: 6, usd })
const weth = (usd: number): IndependentPrice => ({ chainId: 8453, token: request.tokenOut, decimals: 18, usd })

describe("fees", () => {
  it("are 5 % at most", () => {
    assert.deepStrictEqual(objections(withFee(1_250_000n)), [])
    assert.deepStrictEqual(objections(withFee(1_250_001n)), ["quote.total"])
    assert.deepStrictEqual(objections(withFee(1_250_001n), { maxFeeBps: 501 }), [])
  })

  it("may be more of dust, up to the value that the caller sets", () => {
    const dust = withFee(2_000_000n)
    assert.deepStrictEqual(objections(dust, { dustFeeUsd: 2 }), ["quote.total"])
    assert.deepStrictEqual(objections(dust, { dustFeeUsd: 2, prices: [usdc(1)] }), [])
    assert.deepStrictEqual(objections(dust, { dustFeeUsd: 1.99, prices: [usdc(1)] }), ["quote.total"])
    assert.deepStrictEqual(objections(dust, { dustFeeUsd: 2, prices: [{ ...usdc(1), chainId: 1 }] }), ["quote.total"])
  })
})

describe("the least amount", () => {
  const estimated = (amount: bigint) => wireOffer(request, { quote: { estimatedAmountOut: amount.toString() } })

  it("is 1 % below the expected one at most, or as the request or the caller say", () => {
    assert.deepStrictEqual(objections(estimated(6_959_595_959_595_959n)), [])
    assert.deepStrictEqual(objections(estimated(6_959_595_959_595_962n)), ["quote.minAmountOut"])
    assert.deepStrictEqual(objections(estimated(7_200_000_000_000_000n), { maxSlippageBps: 500 }), [])
    assert.deepStrictEqual(objections(estimated(6_925_000_000_000_000n), { maxSlippageBps: 50 }), [
      "quote.minAmountOut"
    ])
    const asked = { ...request, slippageBps: 500 }
    assert.deepStrictEqual(objections(estimated(7_200_000_000_000_000n), {}, asked), [])
    assert.deepStrictEqual(objections(estimated(7_300_000_000_000_000n), {}, asked), ["quote.minAmountOut"])
  })
})

describe("the expected amount", () => {
  // 24.875 US dollars are swapped into 0.006925 WETH.
  const of = (usd: number, more: ReviewOptions = {}) =>
    objections(wireOffer(), { prices: [usdc(1), weth(usd)], ...more })

  it("is within 3 % of independent prices", () => {
    assert.deepStrictEqual(of(3_592), [])
    assert.deepStrictEqual(of(3_690), [])
    assert.deepStrictEqual(of(3_500), [])
    assert.deepStrictEqual(of(3_710), ["quote.estimatedAmountOut"])
    assert.deepStrictEqual(of(3_480), ["quote.estimatedAmountOut"])
    assert.deepStrictEqual(of(3_690, { maxPriceDeviationBps: 250 }), ["quote.estimatedAmountOut"])
  })

  it("is not compared without the prices of both tokens", () => {
    assert.deepStrictEqual(objections(wireOffer(), { prices: [weth(1)] }), [])
    assert.deepStrictEqual(objections(wireOffer(), { prices: [usdc(1_000)] }), [])
  })
})
