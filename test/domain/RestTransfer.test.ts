/** Versions of the transfer of a lane's rest. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { feesWithin } from "../../src/domain/ChainMoney.ts"
import {
  adviceOf,
  causeOf,
  type Conditions,
  first,
  obstacle,
  replacement,
  type Terms
} from "../../src/domain/RestTransfer.ts"

const between = (minimum: bigint, maximum: bigint) => Schema.BigInt.check(Schema.isBetweenBigInt({ minimum, maximum }))
const Gwei = between(0n, 10n ** 12n)
const Wei = between(0n, 10n ** 18n)
const Gas = between(0n, 10n ** 6n)

const Signed = Schema.Struct({ amount: Wei, gas: Gas, maxFeePerGas: Gwei, tip: Gwei })
const Now = Schema.Struct({
  balance: Wei,
  baseFeePerGas: Gwei,
  tip: Gwei,
  gas: Gas,
  data: between(0n, 10n ** 15n),
  limit: Schema.UndefinedOr(Gwei)
})

const termsOf = ({ tip, ...rest }: typeof Signed.Type): Terms => ({
  ...rest,
  maxPriorityFeePerGas: tip < rest.maxFeePerGas ? tip : rest.maxFeePerGas
})
const conditionsOf = ({ balance, baseFeePerGas, data, gas, limit, tip }: typeof Now.Type): Conditions => {
  const bounds = { minPriorityFeePerGasWei: 0n, ...(limit === undefined ? {} : { maxFeePerGasWei: limit }) }
  const { maxFeePerGas, maxPriorityFeePerGas } = feesWithin({ baseFeePerGas, tip }, bounds)
  return {
    balance,
    baseFeePerGas,
    gas,
    limit,
    market: { maxFeePerGas, maxPriorityFeePerGas },
    rollup: { data, operatorBase: 0n, operatorRate: 0n }
  }
}

/** True if nodes take the second instead of the first. */
const replaces = (one: Terms, other: Terms) =>
  8n * other.maxFeePerGas >= 9n * one.maxFeePerGas && 8n * other.maxPriorityFeePerGas >= 9n * one.maxPriorityFeePerGas

describe("a version of a transfer of a lane's rest", () => {
  it.prop("can be mined as things are, or tells exactly what is missing", [Signed, Now], ([signed, now]) => {
    const conditions = conditionsOf(now)
    for (const make of [first, (each: Conditions) => replacement(termsOf(signed), each)]) {
      const version = make(conditions)
      if ("allowed" in version) {
        assert.strictEqual(version.allowed, now.limit)
        assert.isTrue(version.needed > version.allowed)
        assert.isFalse("allowed" in make(conditionsOf({ ...now, limit: version.needed })))
        assert.isTrue("allowed" in make(conditionsOf({ ...now, limit: version.needed - 1n })))
        continue
      }
      if ("terms" in version) {
        assert.isTrue(now.limit === undefined || version.terms.maxFeePerGas <= now.limit)
        assert.isUndefined(obstacle(version.terms, conditions))
        assert.isAbove(Number(version.terms.amount), 0)
        continue
      }
      const funded = make({ ...conditions, balance: conditions.balance + version.missing })
      assert.strictEqual("terms" in funded ? funded.terms.amount : undefined, 1n)
      assert.isTrue("missing" in make({ ...conditions, balance: conditions.balance + version.missing - 1n }))
    }
  })

  it.prop("replaces the signed one on every node", [Signed, Now], ([each, now]) => {
    const signed = termsOf(each)
    const version = replacement(signed, conditionsOf({ ...now, balance: 10n ** 30n, limit: undefined }))
    if (!("terms" in version)) return assert.fail("the lane is rich")
    const { gas, maxFeePerGas, maxPriorityFeePerGas } = version.terms
    assert.isTrue(replaces(signed, version.terms))
    assert.isTrue(gas >= signed.gas)
    assert.isTrue(maxPriorityFeePerGas <= maxFeePerGas)
  })

  it.prop("is replaced by a later one once the base fee is above its fee cap", [Gwei, Gwei], ([baseFee, rise]) => {
    const signed: Terms = { amount: 1n, gas: 25_000n, maxFeePerGas: 20n, maxPriorityFeePerGas: 1n }
    const at = (baseFeePerGas: bigint): Terms => {
      const now = conditionsOf({
        balance: 10n ** 30n,
        baseFeePerGas,
        tip: 1n,
        gas: 21_000n,
        data: 0n,
        limit: undefined
      })
      const version = replacement(signed, now)
      return "terms" in version ? version.terms : assert.fail("the lane is rich")
    }
    const one = at(baseFee + 21n)
    const two = at(one.maxFeePerGas + rise + 1n)
    // Geth requires a tenth more of both fees.
    assert.isTrue(10n * two.maxFeePerGas >= 11n * one.maxFeePerGas)
    assert.isTrue(10n * two.maxPriorityFeePerGas >= 11n * one.maxPriorityFeePerGas)
  })
})

describe("an obstacle", () => {
  const now = conditionsOf({
    balance: 1_000_000n,
    baseFeePerGas: 10n,
    tip: 1n,
    gas: 21_000n,
    data: 7n,
    limit: undefined
  })
  const signed: Terms = { amount: 1n, gas: 25_000n, maxFeePerGas: 20n, maxPriorityFeePerGas: 1n }

  it("is a fee cap below the base fee, a gas limit below the need, or a balance below the cost", () => {
    assert.isUndefined(obstacle({ ...signed, maxFeePerGas: 10n }, now))
    assert.deepStrictEqual(obstacle({ ...signed, maxFeePerGas: 9n }, now), {
      _tag: "fee",
      maxFeePerGas: 9n,
      baseFeePerGas: 10n
    })
    assert.deepStrictEqual(obstacle({ ...signed, gas: 20_999n }, now), { _tag: "gas", gas: 20_999n, needed: 21_000n })
    assert.isUndefined(obstacle({ ...signed, amount: 499_993n }, now))
    assert.deepStrictEqual(obstacle({ ...signed, amount: 499_994n }, now), {
      _tag: "balance",
      balance: 1_000_000n,
      needed: 1_000_001n
    })
  })

  it("is told with its values", () => {
    assert.include(causeOf({ _tag: "fee", maxFeePerGas: 9n, baseFeePerGas: 10n }), "9 wei per gas")
    assert.include(causeOf({ _tag: "gas", gas: 20_999n, needed: 21_000n }), "20999")
    assert.include(causeOf({ _tag: "balance", balance: 5n, needed: 6n }), "5 wei")
  })
})

describe("the advice about a version above the operator's limit", () => {
  const above = { allowed: 20n, needed: 23n }

  it("ends what is in the way", () => {
    const fee = adviceOf(above, { _tag: "fee", maxFeePerGas: 19n, baseFeePerGas: 20n })
    assert.include(fee, "Raise maxFeePerGasWei to at least 23")
    assert.include(fee, "or wait until gas costs less")
    const gas = adviceOf(above, { _tag: "gas", gas: 20_999n, needed: 21_000n })
    assert.include(gas, "Only a higher limit ends this: raise maxFeePerGasWei to at least 23")
    assert.notInclude(gas, "gas costs less")
    const balance = adviceOf(above, { _tag: "balance", balance: 5n, needed: 9n })
    assert.strictEqual(balance, "Send at least 4 wei to the lane.")
  })

  it.prop("is enough money to mine the signed one", [Signed, Now], ([each, now]) => {
    const signed = termsOf(each)
    const conditions = conditionsOf(now)
    const found = obstacle(signed, conditions)
    if (found?._tag !== "balance") return
    const [, wei = ""] = /Send at least (\d+) wei/u.exec(adviceOf(above, found)) ?? []
    const funded = { ...conditions, balance: conditions.balance + BigInt(wei) }
    assert.isUndefined(obstacle(signed, funded))
    assert.isDefined(obstacle(signed, { ...funded, balance: funded.balance - 1n }))
  })
})
