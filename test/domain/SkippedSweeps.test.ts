import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { outcome, shares } from "../../src/domain/Exposure.ts"
import { divided } from "../../src/domain/Money.ts"
import { type Bearer, type Bill, isSkipped, parts, skipCost } from "../../src/domain/SkippedSweeps.ts"

const GWEI = 10n ** 9n

describe("an account that ran other code in a transaction", () => {
  /** Events in a block, as they add to the account's count. The transaction's own authorization is for the parent block's count. */
  const Change = Schema.Literals(["delegates to us", "delegates elsewhere", "sends", "runs"])

  it.prop(
    "is proved only if the transaction did not run the delegate",
    [Schema.Array(Change).check(Schema.isMaxLength(4)), Schema.Boolean, Schema.Boolean],
    ([changes, startsOurs, isAuthorized]) => {
      let [count, isOurs, hasRun] = [5n, startsOurs, false]
      const block = changes.includes("runs") ? changes : [...changes, "runs" as const]
      for (const change of block) {
        if (change === "runs") {
          if (isAuthorized && count === 5n) [count, isOurs] = [count + 1n, true]
          hasRun ||= isOurs
        } else {
          count += 1n
          if (change !== "sends") isOurs = change === "delegates to us"
        }
      }
      const states = { before: 5n, after: count, runsDelegate: isOurs, ...(isAuthorized ? { authorized: 5n } : {}) }
      if (isSkipped(states)) assert.isFalse(hasRun)
    }
  )

  it("is proved after an earlier change, and after a transaction that made the authorization stale", () => {
    assert.isTrue(isSkipped({ before: 5n, after: 5n, runsDelegate: false }))
    assert.isTrue(isSkipped({ before: 6n, after: 6n, runsDelegate: false, authorized: 5n }))
    assert.isTrue(isSkipped({ before: 5n, after: 6n, runsDelegate: false, authorized: 5n }))
  })

  it("is not proved if it runs the delegate, or if its code may have changed after the transaction", () => {
    assert.isFalse(isSkipped({ before: 5n, after: 5n, runsDelegate: true }))
    assert.isFalse(isSkipped({ before: 5n, after: 6n, runsDelegate: false }))
    assert.isFalse(isSkipped({ before: 5n, after: 6n, runsDelegate: false, authorized: 4n }))
    assert.isFalse(isSkipped({ before: 5n, after: 7n, runsDelegate: false, authorized: 5n }))
  })
})

describe("the cost of skipped items", () => {
  const data = `0x${"01".repeat(1000)}` as const
  const bill: Bill = { gasUsed: 200_000n, effectiveGasPrice: GWEI, data }
  const item = `0x${"01".repeat(500)}` as const

  it("is that of the calldata, a cold account and the authorization", () => {
    assert.strictEqual(skipCost(bill, { calldata: [item], isAuthorized: false }), 11_000n * GWEI)
    assert.strictEqual(skipCost(bill, { calldata: [item, item], isAuthorized: true }), 47_000n * GWEI)
  })

  it("is that of the floor in a transaction that does little else", () => {
    const floored = { ...bill, gasUsed: 61_000n }
    assert.strictEqual(skipCost(floored, { calldata: [item], isAuthorized: false }), 23_000n * GWEI)
  })

  it("has the part of a rollup's charge that its bytes have", () => {
    const free = { ...bill, effectiveGasPrice: 0n, dataFee: 1_001n }
    assert.strictEqual(skipCost(free, { calldata: [item], isAuthorized: false }), 501n)
    assert.strictEqual(skipCost(free, { calldata: [item], isAuthorized: true }), 611n)
    assert.strictEqual(skipCost({ ...free, data: "0x" }, { calldata: [], isAuthorized: false }), 1_001n)
  })
})

describe("the parts of a transaction's cost", () => {
  const Wei = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 10n ** 20n }))
  const Gas = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 10n ** 7n }))
  const Sweep = Schema.Struct({ gas: Gas, skipCost: Schema.UndefinedOr(Wei), worth: Wei })
  const sum = (all: ReadonlyArray<bigint>) => all.reduce((so, each) => so + each, 0n)

  it.prop("sum to it, and none is negative", [Wei, Schema.NonEmptyArray(Sweep)], ([cost, sweeps]) => {
    const exact = parts(cost, sweeps, divided)
    assert.lengthOf(exact, sweeps.length)
    assert.strictEqual(sum(exact), cost)
    assert.isTrue(exact.every((part) => part >= 0n))
  })

  it.prop(
    "never lose less than the transaction did, and skipped sweeps bear their cost",
    [Wei, Schema.NonEmptyArray(Sweep)],
    ([cost, sweeps]) => {
      const counted = parts(cost, sweeps, shares)
      assert.isTrue(sum(counted) >= cost)
      const lost = sweeps.map(({ worth }, index) => outcome(counted[index] ?? 0n, worth).lost)
      assert.isTrue(sum(lost) >= cost - sum(sweeps.map(({ worth }) => worth)))
      const skipped = sum(sweeps.map((each) => each.skipCost ?? 0n))
      const isMixed = sweeps.some((each) => each.skipCost === undefined)
      if (!isMixed || skipped > cost) return
      for (const [index, each] of sweeps.entries()) {
        if (each.skipCost !== undefined) assert.strictEqual(counted[index], each.skipCost)
      }
    }
  )

  it("leave the others what they used", () => {
    const sweeps: ReadonlyArray<Bearer> = [{ gas: 200n }, { gas: 200n, skipCost: 10n }, { gas: 600n }]
    assert.deepStrictEqual(parts(1_010n, sweeps, divided), [250n, 10n, 750n])
  })

  it("follow the gas if skips would cost more than the transaction", () => {
    assert.deepStrictEqual(parts(100n, [{ gas: 1n }, { gas: 3n, skipCost: 101n }], divided), [25n, 75n])
  })

  it("are those of the skips if there is nothing else", () => {
    const sweeps = [
      { gas: 9n, skipCost: 1n },
      { gas: 1n, skipCost: 3n }
    ]
    assert.deepStrictEqual(parts(100n, sweeps, divided), [25n, 75n])
  })
})
