import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Money from "../../src/domain/Money.ts"

const Amount = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 200n }))

const line = (chainId: number, fees: bigint, failures: bigint): Money.ChainLine => ({
  ...Money.NONE,
  chainId,
  sweeps: 1,
  fees,
  failures
})

describe("the cost of a transaction", () => {
  it.prop(
    "is divided without a rest, each part within a wei of its share",
    [Amount, Schema.NonEmptyArray(Amount)],
    ([cost, weights]) => {
      const parts = Money.divided(cost, weights)
      const total = weights.reduce((sum, weight) => sum + weight, 0n)
      assert.strictEqual(parts.length, weights.length)
      assert.strictEqual(
        parts.reduce((sum, part) => sum + part, 0n),
        cost
      )
      for (const [index, part] of parts.entries()) {
        const exact = total === 0n ? cost / BigInt(weights.length) : (cost * (weights[index] ?? 0n)) / total
        assert.isTrue(part >= exact && part <= exact + 1n)
      }
    }
  )

  it("has no parts without sweeps", () => {
    assert.deepStrictEqual(Money.divided(7n, []), [])
  })
})

describe("earnings", () => {
  it("are the sum of the chains, and may be a loss", () => {
    const chains = [
      line(10, 10n ** 18n, 0n),
      line(1, 0n, 25n * 10n ** 17n),
      { ...line(1, 0n, 0n), tier: "tier1" as const }
    ]
    const view = Money.viewOf(7, "2026-01-01", { chains, builders: [{ ...Money.NONE, builderId: "acme" }] })
    assert.strictEqual(view.total.netUsd, "-1.5")
    assert.strictEqual(view.total.sweeps, 3)
    assert.deepStrictEqual(
      view.chains.map(({ chainId, netUsd, sweeps }) => [chainId, netUsd, sweeps]),
      [
        [1, "-2.5", 2],
        [10, "1", 1]
      ]
    )
    assert.deepStrictEqual(
      view.tiers.map(({ netUsd, tier }) => [tier, netUsd]),
      [
        ["tier1", "0"],
        [undefined, "-1.5"]
      ]
    )
    assert.strictEqual(view.builders[0]?.builderId, "acme")
  })
})
