import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { lpFee, type RateModel } from "../../src/domain/AcrossLpFee.ts"

const ONE = 10n ** 18n
const percent = (value: number): bigint => (BigInt(Math.round(value * 100)) * ONE) / 10_000n

const model: RateModel = { UBar: percent(80), R0: 0n, R1: percent(4), R2: percent(60) }

const weekly = (yearly: number): number => Math.expm1(Math.log1p(yearly) / 52)
const close = (fee: bigint, expected: number) => assert.closeTo(Number(fee) / 1e18, expected, 1e-9)

const Fraction = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: ONE }))
const Model = Schema.Struct({ UBar: Fraction, R0: Fraction, R1: Fraction, R2: Fraction })

describe("the fee of Across's liquidity", () => {
  it("is that of a week at the mean rate", () => {
    close(lpFee(model, percent(40), percent(40)), weekly(0.02))
    close(lpFee(model, 0n, percent(80)), weekly(0.02))
    close(lpFee(model, percent(80), ONE), weekly(0.34))
    close(lpFee(model, percent(40), percent(80)), weekly(0.03))
    assert.strictEqual(lpFee(model, 0n, 0n), 0n)
  })

  it.prop("lies between the rates before and after", [Model, Fraction, Fraction], ([any, a, b]) => {
    const [low, high] = a < b ? [a, b] : [b, a]
    const fee = lpFee(any, a, b)
    // Rounding by a millionth of a millionth.
    const slack = 10n ** 6n
    return fee + slack >= lpFee(any, low, low) && fee <= lpFee(any, high, high) + slack
  })

  it.prop("does not fall with the deposit", [Model, Fraction, Fraction, Fraction], ([any, ...points]) => {
    const [before, small, large] = points.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    if (before === undefined || small === undefined || large === undefined) return false
    return lpFee(any, before, small) <= lpFee(any, before, large) + 10n ** 6n
  })
})
