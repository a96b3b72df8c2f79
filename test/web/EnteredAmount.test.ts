/** Amounts that the user enters for a token of the list. */
import { assert, describe, it } from "vitest"
import type { SweepableToken } from "../../src/sdk/index.ts"
import { amountOf, defaultAmount, isNoAmount } from "../../src/web/sweep/selection.ts"

const token: SweepableToken = {
  chainId: 1,
  address: `0x${"a1".repeat(20)}`,
  symbol: "USDC",
  name: "USD Coin",
  decimals: 6,
  tier: "tier1",
  balance: 40_000_000n,
  priceUsd: "1",
  valueUsd: "40",
  sweepable: true,
  reason: null,
  delegation: "none",
  estimatedNetAmount: 39_000_000n,
  estimatedNetUsd: "39"
}

describe("an entered amount", () => {
  it("counts while the account holds it, and is none once it holds less", () => {
    assert.strictEqual(amountOf(token, 15n), 15n)
    assert.strictEqual(amountOf(token, undefined), defaultAmount(token))
    assert.isFalse(isNoAmount(token, undefined) || isNoAmount(token, token.balance))
    for (const entered of [null, token.balance + 1n]) assert.isTrue(isNoAmount(token, entered))
  })
})
