import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { calls, grouped, type Place } from "../../src/domain/SweepGroups.ts"
import { address } from "../support/FakeChain.ts"

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

const Sweeps = Schema.Array(
  Schema.Struct({ owner: upTo(3), sweep: Schema.UndefinedOr(upTo(2)), leg: upTo(6), isNative: Schema.Boolean })
).check(Schema.isMaxLength(20))

interface Placed extends Place {
  readonly index: number
}

const placedOf = (drawn: typeof Sweeps.Type): ReadonlyArray<Placed> =>
  drawn.map(({ isNative, leg, owner, sweep }, index) => ({
    index,
    account: address(owner),
    isNative,
    ...(sweep === undefined ? {} : { batch: { sweepId: `s${sweep}`, leg } })
  }))

const self = (each: Placed): Placed => each

const leg = (index: number, number: number, isNative = false, sweepId = "s"): Placed => ({
  index,
  account: address(1),
  isNative,
  batch: { sweepId, leg: number }
})

const properties = { drawn: Arbitrary.schema(Sweeps) }

describe("grouped", () => {
  it.prop("has every sweep once, with those of its account alone", properties, ({ drawn }) => {
    const sweeps = placedOf(drawn)
    const groups = grouped(sweeps, self)
    assert.sameMembers(groups.flat(), [...sweeps])
    for (const group of groups) for (const { account } of group) assert.strictEqual(account, group[0].account)
    const owners = groups.map(([{ account }]) => account)
    assert.deepStrictEqual(owners, [...new Set(sweeps.map(({ account }) => account))])
  })

  it.prop("runs native input last", properties, ({ drawn }) => {
    for (const group of grouped(placedOf(drawn), self)) {
      const first = group.findIndex(({ isNative }) => isNative)
      assert.isTrue(first < 0 || group.slice(first).every(({ isNative }) => isNative))
    }
  })

  it.prop("does not change what it has grouped", properties, ({ drawn }) => {
    const groups = grouped(placedOf(drawn), self)
    assert.deepStrictEqual(grouped(groups.flat(), self), groups)
  })

  it("runs legs as they are signed", () => {
    const group = grouped([leg(0, 2), leg(1, 0, true), leg(2, 1)], self)
    assert.deepStrictEqual(
      group.map((each) => each.map(({ index }) => index)),
      [[2, 0, 1]]
    )
  })
})

describe("calls", () => {
  it.prop("keep the order, and run legs of one batch next to each other", properties, ({ drawn }) => {
    const sweeps = grouped(placedOf(drawn), self).flat()
    const made = calls(sweeps, self)
    assert.deepStrictEqual(made.flat(), [...sweeps])
    for (const [first, ...rest] of made) {
      for (const [offset, { account, batch }] of rest.entries()) {
        assert.strictEqual(account, first.account)
        assert.isDefined(batch)
        assert.strictEqual(batch?.sweepId, first.batch?.sweepId)
        assert.strictEqual(batch?.leg, (first.batch?.leg ?? 0) + offset + 1)
      }
    }
  })

  it("are as few as possible", () => {
    const made = calls([leg(0, 0), leg(1, 1), leg(2, 3), leg(3, 4), leg(4, 0, false, "other")], self)
    assert.deepStrictEqual(
      made.map((each) => each.map(({ index }) => index)),
      [[0, 1], [2, 3], [4]]
    )
  })
})
