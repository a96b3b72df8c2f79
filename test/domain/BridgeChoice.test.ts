import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type BridgeOption, type DepositTerms, differences, ranked, score } from "../../src/domain/BridgeChoice.ts"
import { address } from "../support/FakeChain.ts"

const Amount = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 10n ** 30n }))
const Seconds = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 86_400 }))
const Bps = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))

const Options = Schema.Array(
  Schema.Struct({ minAmountOut: Amount, amountOut: Amount, estimatedSeconds: Seconds })
).check(Schema.isMinLength(1))

const option = (minAmountOut: bigint, estimatedSeconds: number, amountOut = minAmountOut): BridgeOption => ({
  minAmountOut,
  amountOut,
  estimatedSeconds
})

describe("the choice of a bridge", () => {
  it("weighs what arrives against the time until it", () => {
    const [slow, fast] = [option(10_000n, 3_600), option(9_995n, 60)]
    assert.deepStrictEqual(ranked([slow, fast], { bpsPerHour: 0 }), [slow, fast])
    // The hour is worth six units of ten thousand, and the fast one costs five.
    assert.deepStrictEqual(ranked([slow, fast], { bpsPerHour: 6 }), [fast, slow])
    assert.deepStrictEqual(ranked([slow, fast], { bpsPerHour: 4 }), [slow, fast])
  })

  it("prefers the larger expectation, then the faster one, then the earlier of equal ones", () => {
    const [a, b, c] = [option(100n, 60, 110n), option(100n, 60, 105n), option(100n, 30, 105n)]
    assert.deepStrictEqual(ranked([b, c, a], { bpsPerHour: 0 }), [a, c, b])
    const twins = [option(1n, 1), option(1n, 1)]
    assert.strictEqual(ranked(twins, { bpsPerHour: 60 })[0], twins[0])
  })

  it("never values a route below nothing", () => {
    assert.strictEqual(score(option(5n, 86_400), { bpsPerHour: 10_000 }), 0n)
  })

  it.prop("takes one that no other beats both in amount and in time", [Options, Bps], ([options, bpsPerHour]) => {
    const [best] = ranked(options, { bpsPerHour })
    assert.isDefined(best)
    assert.isFalse(
      options.some(
        (other) =>
          best !== undefined &&
          other.minAmountOut > best.minAmountOut &&
          other.estimatedSeconds < best.estimatedSeconds &&
          score(other, { bpsPerHour }) > 0n
      )
    )
  })

  it.prop("does not depend on the order of unequal options", [Options, Bps], ([options, bpsPerHour]) => {
    const value = { bpsPerHour }
    assert.deepStrictEqual(ranked(options, value)[0], ranked(options.toReversed(), value)[0])
  })

  it.prop(
    "values an earlier arrival of the same amount no less",
    [Amount, Seconds, Seconds, Bps],
    ([amount, a, b, bpsPerHour]) => {
      const [early, late] = [Math.min(a, b), Math.max(a, b)]
      assert.isTrue(score(option(amount, early), { bpsPerHour }) >= score(option(amount, late), { bpsPerHour }))
    }
  )
})

describe("the terms of a deposit", () => {
  const wanted: DepositTerms = {
    tokenIn: address(0x01),
    amountIn: 5n,
    tokenOut: address(0x02),
    minAmountOut: 4n,
    destChainId: 10n,
    depositor: address(0x03),
    recipient: address(0x04)
  }

  it("have no differences if they are those of the request", () => {
    assert.deepStrictEqual(differences(wanted, { ...wanted }), [])
  })

  it.each([
    ["tokenIn", address(0xff)],
    ["amountIn", 6n],
    ["tokenOut", address(0xff)],
    ["minAmountOut", 3n],
    ["destChainId", 11n],
    ["depositor", address(0xff)],
    ["recipient", address(0xff)]
  ] as const)("differ by another %s", (term, value) => {
    assert.deepStrictEqual(differences(wanted, { ...wanted, [term]: value }), [term])
  })
})
