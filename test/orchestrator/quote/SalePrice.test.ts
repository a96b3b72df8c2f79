import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type * as Fees from "../../../src/domain/Fees.ts"
import { priceOf } from "../../../src/orchestrator/quote/SalePrice.ts"

const Decimals = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 }))
const Amount = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))

describe("the price of a sale", () => {
  it("is what a whole token gets", () => {
    const got = { amount: 6_000_000n, decimals: 6, usd: 10n ** 18n }
    assert.strictEqual(priceOf({ amount: 3n * 10n ** 8n, decimals: 8 }, got), 2n * 10n ** 18n)
    assert.strictEqual(priceOf({ amount: 0n, decimals: 8 }, got), 0n)
  })

  it.prop(
    "makes all that was sold worth at most what it got, and less by a unit at most",
    [Amount, Decimals, Amount, Decimals],
    ([sold, decimals, got, outDecimals]) => {
      const whole = 10n ** BigInt(decimals)
      const value = (BigInt(got) * 10n ** 18n) / 10n ** BigInt(outDecimals)
      const price: Fees.UsdPrice = priceOf(
        { amount: BigInt(sold), decimals },
        { amount: BigInt(got), decimals: outDecimals, usd: 10n ** 18n }
      )
      assert.isTrue(price * BigInt(sold) <= (value + 1n) * whole)
      assert.isTrue((price + 1n) * BigInt(sold) >= value * whole)
    }
  )
})
