import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import * as Curves from "../../../src/adapters/swap/Curves.ts"

/** Reserves of a pool on each side, in the smallest unit. */
const RESERVE = 10n ** 24n

const paidBy = (amountIn: bigint): bigint => (RESERVE * amountIn) / (RESERVE + amountIn)

/** A pool of constant product, read at the amounts up to the largest one. */
const marketOf = (largest: bigint): Curves.Market<string> => [
  {
    path: "pool",
    samples: Curves.amountsUpTo(largest).map((amountIn) => ({ amountIn, amountOut: paidBy(amountIn), gas: 100_000n }))
  }
]

/** Largest amount in thousandths of the reserve, and the amount in thousandths of the largest. */
const Largest = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 500 }))
const Part = Schema.Int.check(Schema.isBetween({ minimum: 600, maximum: 1_000 }))

describe("a curve of a market", () => {
  it.prop(
    "never promises more than the pool pays, and expects it far more exactly",
    [Largest, Part],
    ([large, part]) => {
      const largest = (RESERVE * BigInt(large)) / 1_000n
      const amountIn = (largest * BigInt(part)) / 1_000n
      const found = Curves.best(marketOf(largest), amountIn)
      assert.isTrue(Option.isSome(found))
      if (Option.isNone(found)) return
      const { amountOut, likelyOut } = found.value
      const paid = paidBy(amountIn)
      const missing = paid - amountOut
      const error = likelyOut > paid ? likelyOut - paid : paid - likelyOut
      assert.isTrue(amountOut <= likelyOut && missing >= -2n, `${missing} missing`)
      assert.isTrue(error * 2n <= missing + 10n, `${error} off, ${missing} missing`)
    }
  )

  it("expects no more than the next sample pays, where a pool runs out between two samples", () => {
    const largest = 100n
    const samples = Curves.amountsUpTo(largest).map((amountIn) => ({
      amountIn,
      amountOut: amountIn > 90n ? 90_000n : amountIn * 1_000n,
      gas: 100_000n
    }))
    for (let amountIn = 61n; amountIn < largest; amountIn++) {
      const found = Curves.best([{ path: "pool", samples }], amountIn)
      assert.isTrue(
        Option.exists(found, ({ likelyOut }) => likelyOut <= 90_000n),
        `at ${amountIn}`
      )
    }
  })

  it("expects what it promises where it has two samples", () => {
    const [curve] = marketOf(RESERVE)
    const samples = curve?.samples.slice(1) ?? []
    const found = Curves.best([{ path: "pool", samples }], (RESERVE * 95n) / 100n)
    assert.isTrue(Option.exists(found, ({ amountOut, likelyOut }) => amountOut === likelyOut))
  })
})
