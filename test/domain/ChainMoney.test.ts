import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as ChainMoney from "../../src/domain/ChainMoney.ts"

const GWEI = 10n ** 9n
const Wei = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 10n ** 15n }))

describe("fees within an operator's bounds", () => {
  it("are the market's without bounds", () => {
    assert.deepStrictEqual(ChainMoney.feesWithin({ baseFeePerGas: 10n * GWEI, tip: 2n * GWEI }, {}), {
      baseFeePerGas: 10n * GWEI,
      maxFeePerGas: 22n * GWEI,
      maxPriorityFeePerGas: 2n * GWEI
    })
  })

  it("have the operator's tip where the market has another", () => {
    const bounds = { minPriorityFeePerGasWei: 25n * GWEI, maxPriorityFeePerGasWei: 50n * GWEI }
    const tipOf = (tip: bigint) => ChainMoney.feesWithin({ baseFeePerGas: GWEI, tip }, bounds).maxPriorityFeePerGas
    assert.deepStrictEqual([tipOf(0n), tipOf(30n * GWEI), tipOf(900n * GWEI)], [25n * GWEI, 30n * GWEI, 50n * GWEI])
  })

  it("tell by a cap below the base fee that nothing should be sent", () => {
    const fees = ChainMoney.feesWithin({ baseFeePerGas: 10n * GWEI, tip: GWEI }, { maxFeePerGasWei: 9n * GWEI })
    assert.isTrue(fees.maxFeePerGas < fees.baseFeePerGas)
  })

  it.prop(
    "never exceed a maximum, and never have a tip above the cap",
    [Wei, Wei, Wei, Wei, Wei],
    ([baseFeePerGas, tip, maxFeePerGasWei, maxPriorityFeePerGasWei, minPriorityFeePerGasWei]) => {
      const bounds = { maxFeePerGasWei, maxPriorityFeePerGasWei, minPriorityFeePerGasWei }
      const fees = ChainMoney.feesWithin({ baseFeePerGas, tip }, bounds)
      assert.isTrue(fees.maxFeePerGas <= maxFeePerGasWei)
      assert.isTrue(fees.maxPriorityFeePerGas <= maxPriorityFeePerGasWei)
      assert.isTrue(fees.maxPriorityFeePerGas <= fees.maxFeePerGas)
    }
  )
})

describe("confirmations by value", () => {
  const chain = {
    confirmations: 3,
    confirmationsByValue: [
      { aboveUsd: 10_000, confirmations: 32 },
      { aboveUsd: 500.5, confirmations: 12 }
    ]
  }
  const usd = (dollars: number) => BigInt(Math.round(dollars * 100)) * 10n ** 16n

  it("are more for more value", () => {
    const depths = [0, 500.5, 500.51, 10_000, 10_000.01].map((dollars) =>
      ChainMoney.confirmationsFor(chain, usd(dollars))
    )
    assert.deepStrictEqual(depths, [3, 3, 12, 12, 32])
  })

  it("are the most for an unknown value, and the chain's without rules", () => {
    assert.strictEqual(ChainMoney.confirmationsFor(chain, undefined), 32)
    assert.strictEqual(ChainMoney.confirmationsFor({ confirmations: 3 }, undefined), 3)
  })
})

describe("an operator's limits", () => {
  it("must not contradict each other", () => {
    const said = (money: ChainMoney.ChainMoney) => ChainMoney.objection({ confirmations: 3, ...money })
    assert.isUndefined(said({ minPriorityFeePerGasWei: 1n, maxPriorityFeePerGasWei: 1n, maxFeePerGasWei: 1n }))
    assert.include(said({ minPriorityFeePerGasWei: 2n, maxPriorityFeePerGasWei: 1n }), "maxPriorityFeePerGasWei")
    assert.include(said({ minPriorityFeePerGasWei: 2n, maxFeePerGasWei: 1n }), "maxFeePerGasWei")
    assert.include(
      said({ confirmationsByValue: [{ aboveUsd: 5, confirmations: 2 }] }),
      "2 confirmations above 5 USD are fewer than confirmations, 3"
    )
  })
})

describe("the prices of two endpoints", () => {
  it("are alike up to twice the lower one", () => {
    assert.isTrue(ChainMoney.arePricesAlike(10n, 20n))
    assert.isTrue(ChainMoney.arePricesAlike(20n, 10n))
    assert.isTrue(ChainMoney.arePricesAlike(0n, 0n))
    assert.isFalse(ChainMoney.arePricesAlike(10n, 21n))
    assert.isFalse(ChainMoney.arePricesAlike(0n, 1n))
  })

  it("count as the lower one, and zero counts as no answer", () => {
    assert.strictEqual(ChainMoney.lowerPrice(5n, 3n), 3n)
    assert.strictEqual(ChainMoney.lowerPrice(3n, 5n), 3n)
    assert.strictEqual(ChainMoney.lowerPrice(0n, 5n), 5n)
    assert.strictEqual(ChainMoney.lowerPrice(5n, 0n), 5n)
    assert.strictEqual(ChainMoney.lowerPrice(0n, 0n), 0n)
  })

  it("take the tip with the base fee", () => {
    const [high, low] = [
      { baseFeePerGas: 5n, tip: 1n },
      { baseFeePerGas: 3n, tip: 2n }
    ]
    assert.strictEqual(ChainMoney.lowerFees(high, low), low)
    assert.strictEqual(ChainMoney.lowerFees(low, high), low)
  })
})
