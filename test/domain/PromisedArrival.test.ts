import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as PromisedArrival from "../../src/domain/PromisedArrival.ts"
import * as Usd from "../../src/domain/Usd.ts"

const Value = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 10n ** 30n }))

describe("a bridge's promise", () => {
  const objectionTo = (paidIn: bigint, expected: bigint, least = expected) =>
    PromisedArrival.objection({ paidIn, expected, least })

  it("is worth at most 1 % more and its minimum at least 70 % of the deposit", () => {
    assert.isUndefined(objectionTo(10_000n, 10_100n))
    assert.include(objectionTo(10_000n, 10_101n), "worth more")
    assert.isUndefined(objectionTo(10_000n, 9_000n, 7_000n))
    assert.include(objectionTo(10_000n, 9_000n, 6_999n), "far less")
  })

  it("is not offered without prices", () => {
    const known = { paidIn: 1n, expected: 1n, least: 1n }
    assert.isUndefined(PromisedArrival.objection(known))
    for (const missing of ["paidIn", "expected", "least"] as const) {
      assert.include(PromisedArrival.objection({ ...known, [missing]: undefined }), "without a price")
    }
  })

  it.prop("that is offered lies within both bounds", [Value, Value, Value], ([paidIn, expected, least]) => {
    if (PromisedArrival.objection({ paidIn, expected, least }) !== undefined) return true
    return expected * 100n <= paidIn * 101n && least * 10n >= paidIn * 7n
  })
})

const USD = 10n ** 18n

describe("the value of a deposit", () => {
  const Loss = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9_999 }))

  it.prop("is never less than what arrives and what the route loses", [Value, Loss], ([arriving, priceImpactBps]) => {
    const value = PromisedArrival.deposited({ estimatedAmountOutUsd: Usd.format(arriving), priceImpactBps })
    return value !== undefined && value * BigInt(10_000 - priceImpactBps) >= arriving * 10_000n
  })

  it("is unknown without prices", () => {
    assert.isUndefined(PromisedArrival.deposited({}))
    assert.isUndefined(PromisedArrival.deposited({ estimatedAmountOutUsd: null, priceImpactBps: 0 }))
    assert.isUndefined(PromisedArrival.deposited({ estimatedAmountOutUsd: "1", priceImpactBps: null }))
  })
})

describe("the refund of a deposit", () => {
  it("lacks at most 10 %, or 5 dollars if that is no more than half", () => {
    assert.strictEqual(PromisedArrival.leastRefund(1_000n, 100n * USD), 900n)
    assert.strictEqual(PromisedArrival.leastRefund(1_000n, 1_000n * USD), 980n)
    assert.strictEqual(PromisedArrival.leastRefund(10_000n, 100_000n * USD), 9_998n)
    assert.strictEqual(PromisedArrival.leastRefund(1_000n, 20n * USD), 750n)
    assert.strictEqual(PromisedArrival.leastRefund(1_000n, 2n * USD), 500n)
    assert.strictEqual(PromisedArrival.leastRefund(1_000n, undefined), 900n)
  })
})
