import { describe, it, assert } from "@effect/vitest"
import { Schema } from "effect"
import * as FeeBump from "../../src/domain/FeeBump.ts"

const Wei = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 10n ** 15n }))
const Fees = Schema.Struct({ maxFeePerGas: Wei, maxPriorityFeePerGas: Wei })

describe("FeeBump", () => {
  it.prop("raises both fees by an eighth or more, and by something where they were nothing", [Fees, Fees], (input) => {
    const [previous, market] = input
    const next = FeeBump.raise(previous, market)
    return (["maxFeePerGas", "maxPriorityFeePerGas"] as const).every(
      (fee) => next[fee] > previous[fee] && next[fee] * 8n >= previous[fee] * 9n
    )
  })

  it.prop("pays at least the market, and never a tip above the whole fee", [Fees, Fees], ([previous, market]) => {
    const next = FeeBump.raise(previous, market)
    return (
      next.maxFeePerGas >= market.maxFeePerGas &&
      next.maxPriorityFeePerGas >= market.maxPriorityFeePerGas &&
      next.maxFeePerGas >= next.maxPriorityFeePerGas
    )
  })

  it.prop("ends: repeated raises stop being worthwhile in any market", [Fees, Fees], ([start, market]) => {
    let fees = start
    for (let round = 0; round < 400; round++) {
      fees = FeeBump.raise(fees, market)
      if (!FeeBump.isWorthwhile(fees, market)) return true
    }
    return false
  })

  it("is worthwhile up to four times the market", () => {
    const market = { maxFeePerGas: 10n, maxPriorityFeePerGas: 1n }
    assert.isTrue(FeeBump.isWorthwhile({ maxFeePerGas: 40n, maxPriorityFeePerGas: 1n }, market))
    assert.isFalse(FeeBump.isWorthwhile({ maxFeePerGas: 41n, maxPriorityFeePerGas: 1n }, market))
  })
})
