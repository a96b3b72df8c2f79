import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { covered, creditOf, MOST_RISE, paidFor } from "../../src/domain/OwnerCredit.ts"

const Wei = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 500 }))

const drawn = {
  values: Arbitrary.schema(Schema.Array(Wei).check(Schema.isMaxLength(60))),
  paid: Arbitrary.schema(Schema.NonEmptyArray(Wei)),
  failed: Arbitrary.schema(Schema.Array(Wei).check(Schema.isMaxLength(3)))
}

const sumOf = (values: ReadonlyArray<bigint>): bigint => values.reduce((sum, each) => sum + each, 0n)

describe("an owner's credit", () => {
  it.prop("covers no more than the owner paid, but for one sweep that gas made dearer", drawn, (given) => {
    const values = given.values.map(BigInt)
    const credit = creditOf({ settled: sumOf(given.paid.map(BigInt)), failed: sumOf(given.failed.map(BigInt)) })
    const free = values.slice(0, covered(credit, values))
    const isFirst = free.length === 1 && sumOf(free) <= MOST_RISE * credit
    assert.isTrue(free.length === 0 || isFirst || sumOf(free) <= credit)
    // One more would be too much.
    const more = values.slice(0, free.length + 1)
    assert.isTrue(more.length === free.length || sumOf(more) > credit)
  })

  it.prop("has paid for as many sweeps as its credit is the cost of, from the first on", drawn, (given) => {
    const values = given.values.map(BigInt)
    const credit = creditOf({ settled: sumOf(given.paid.map(BigInt)), failed: sumOf(given.failed.map(BigInt)) })
    const paid = paidFor(credit, values)
    assert.isTrue(paid === 0 || sumOf(values.slice(0, paid)) <= credit)
    assert.isTrue(paid === values.length || sumOf(values.slice(0, paid + 1)) > credit)
    assert.isTrue(paid <= covered(credit, values))
  })

  it.prop("bounds what an owner burns in any number of transactions by what it paid", drawn, (given) => {
    const settled = sumOf(given.paid.map(BigInt))
    const burnedOf = (values: ReadonlyArray<bigint>): bigint => {
      let failed = 0n
      for (let sent = 1, from = 0; sent > 0; from += sent) {
        sent = covered(creditOf({ settled, failed }), values.slice(from))
        failed += sumOf(values.slice(from, from + sent))
      }
      return failed
    }
    assert.isTrue(burnedOf(given.values.map(BigInt)) <= MOST_RISE * settled)
    // At a price of gas that stays as it is.
    const [value = 1] = given.paid
    assert.isTrue(burnedOf(Array<bigint>(60).fill(BigInt(value))) <= settled)
  })

  it.prop(
    "doubles with what settles, so that equal sweeps need few transactions",
    {
      legs: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 64 }))),
      value: Arbitrary.schema(Wei)
    },
    ({ legs, value }) => {
      let settled = 1
      let transactions = 0
      for (let left = legs; left > 0; transactions++) {
        const sent = covered(
          creditOf({ settled: BigInt(settled * value), failed: 0n }),
          Array<bigint>(left).fill(BigInt(value))
        )
        assert.isTrue(sent > 0)
        settled += sent
        left -= sent
      }
      assert.isTrue(transactions <= Math.ceil(Math.log2(legs + 1)))
    }
  )

  it("takes off twice the fee of a failed sweep, and covers nothing of an owner who paid nothing", () => {
    assert.strictEqual(creditOf({ settled: 10n, failed: 4n }), 2n)
    assert.strictEqual(covered(0n, [1n]), 0)
    assert.strictEqual(covered(-10n, [1n]), 0)
    assert.strictEqual(covered(10n, [40n, 1n]), 1)
    assert.strictEqual(covered(10n, [41n]), 0)
    assert.strictEqual(covered(10n, [4n, 6n, 1n]), 2)
  })

  it.prop("covers no more than what the owner paid where the first sweep may not rise", drawn, (given) => {
    const values = given.values.map(BigInt)
    const credit = creditOf({ settled: sumOf(given.paid.map(BigInt)), failed: sumOf(given.failed.map(BigInt)) })
    assert.strictEqual(covered(credit, values, false), paidFor(credit, values))
    assert.strictEqual(covered(100n, [400n], false), 0)
    assert.strictEqual(covered(100n, [100n], false), 1)
  })
})
