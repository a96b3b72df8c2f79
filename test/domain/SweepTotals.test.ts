import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type Part, totals } from "../../src/domain/SweepTotals.ts"
import * as Arbitraries from "./Arbitraries.ts"

const USD = 10n ** 18n

const Decimals = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 }))
const Price = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 10n ** 30n }))

const PartOf = Schema.Struct({
  minAmountOut: Arbitraries.Units,
  estimatedAmountOut: Arbitraries.Units,
  fees: Schema.Struct({
    protocol: Arbitraries.Units,
    network: Arbitraries.Units,
    builder: Arbitraries.Units
  }),
  tokenIn: Schema.Struct({ usd: Price, decimals: Decimals })
})

/** US dollars scaled by 10^18, from their text. */
const scaled = (usd: string | null): bigint => {
  const [whole = "0", fraction = ""] = (usd ?? "0").split(".")
  return BigInt(whole + fraction.padEnd(18, "0"))
}

const part = (changes: Partial<Part> = {}): Part => ({
  minAmountOut: 90n,
  estimatedAmountOut: 100n,
  fees: { protocol: 3n, network: 2n, builder: 1n },
  tokenIn: { usd: USD, decimals: 0 },
  ...changes
})

describe("totals of quotes", () => {
  it("are zero without a quote", () => {
    const zero = { amount: 0n, usd: "0" }
    assert.deepStrictEqual(totals([], { usd: USD, decimals: 6 }), {
      minAmountOut: zero,
      estimatedAmountOut: zero,
      fees: { protocol: zero, network: zero, builder: zero }
    })
  })

  it("sum the output, and convert each fee to the output token", () => {
    const other = part({ fees: { protocol: 4n, network: 0n, builder: 0n }, tokenIn: { usd: 5n * USD, decimals: 1 } })
    assert.deepStrictEqual(totals([part(), other], { usd: 2n * USD, decimals: 1 }), {
      minAmountOut: { amount: 180n, usd: "36" },
      estimatedAmountOut: { amount: 200n, usd: "40" },
      // 3 × $1 + 0.4 × $5 = $5, which is 2.5 of the output token.
      fees: {
        protocol: { amount: 25n, usd: "5" },
        network: { amount: 10n, usd: "2" },
        builder: { amount: 5n, usd: "1" }
      }
    })
  })

  it("have no value of the output without its price, and fees in US dollars only", () => {
    assert.deepStrictEqual(totals([part()], undefined), {
      minAmountOut: { amount: 90n, usd: null },
      estimatedAmountOut: { amount: 100n, usd: null },
      fees: {
        protocol: { amount: null, usd: "3" },
        network: { amount: null, usd: "2" },
        builder: { amount: null, usd: "1" }
      }
    })
  })

  it.prop(
    "do not depend on the order of the quotes",
    [Schema.Array(PartOf), Price, Decimals],
    ([parts, usd, decimals]) => {
      assert.deepStrictEqual(totals(parts, { usd, decimals }), totals(parts.toReversed(), { usd, decimals }))
    }
  )

  it.prop(
    "sum what the totals of each quote are, with fees off by less than one unit for each of them",
    [Schema.Array(PartOf), Price, Decimals],
    ([parts, usd, decimals]) => {
      const output = { usd, decimals }
      const all = totals(parts, output)
      const each = parts.map((one) => totals([one], output))
      const sum = (pick: (of: typeof all) => bigint | null) =>
        each.reduce((total, one) => total + (pick(one) ?? 0n), 0n)
      assert.strictEqual(
        all.minAmountOut.amount,
        sum((of) => of.minAmountOut.amount)
      )
      assert.strictEqual(
        all.estimatedAmountOut.amount,
        sum((of) => of.estimatedAmountOut.amount)
      )
      for (const fee of ["protocol", "network", "builder"] as const) {
        assert.strictEqual(
          scaled(all.fees[fee].usd),
          sum((of) => scaled(of.fees[fee].usd))
        )
        const excess = sum((of) => of.fees[fee].amount) - (all.fees[fee].amount ?? 0n)
        assert.isTrue(excess >= 0n && excess <= BigInt(parts.length), `${excess} units`)
      }
    }
  )

  it.prop(
    "never make output look worth more, or fees less, than they are",
    [PartOf, Price, Decimals],
    ([one, usd, decimals]) => {
      const { fees, minAmountOut } = totals([one], { usd, decimals })
      const outScale = 10n ** BigInt(decimals)
      const inScale = 10n ** BigInt(one.tokenIn.decimals)
      assert.isTrue(scaled(minAmountOut.usd) * outScale <= one.minAmountOut * usd)
      assert.isTrue(scaled(fees.network.usd) * inScale >= one.fees.network * one.tokenIn.usd)
      assert.isTrue((fees.network.amount ?? 0n) * usd >= scaled(fees.network.usd) * outScale)
    }
  )
})
