import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { type Bounds, compose, type Item } from "../../src/domain/BatchComposition.ts"
import { batchGasLimit, batchRoom } from "../../src/domain/RelayGas.ts"
import type { Group } from "../../src/domain/SweepGroups.ts"

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 1, maximum }))

const Groups = Schema.Array(
  Schema.NonEmptyArray(Schema.Struct({ gas: upTo(100), bytes: upTo(100) })).check(Schema.isMaxLength(8))
).check(Schema.isMaxLength(15))
const Limits = Schema.Struct({ items: upTo(8), gas: upTo(300), bytes: upTo(300) })

type Drawn = Item & { readonly account: number; readonly index: number }

const groupsOf = (drawn: typeof Groups.Type): ReadonlyArray<Group<Drawn>> =>
  drawn.map(([first, ...rest], account) => {
    const item = ({ bytes, gas }: typeof first, index: number): Drawn => ({ account, index, gas: BigInt(gas), bytes })
    return [item(first, 0), ...rest.map((each, index) => item(each, index + 1))]
  })
const boundsOf = ({ bytes, gas, items }: typeof Limits.Type): Bounds => ({ items, gas: BigInt(gas), bytes })

const isWithin = (items: ReadonlyArray<Item>, bounds: Bounds): boolean =>
  items.length <= bounds.items &&
  items.reduce((total, { gas }) => total + gas, 0n) <= bounds.gas &&
  items.reduce((total, { bytes }) => total + bytes, 0) <= bounds.bytes

const properties = { drawn: Arbitrary.schema(Groups), limits: Arbitrary.schema(Limits) }

describe("compose", () => {
  it.prop("sends each account's beginning, in order, and leaves the rest", properties, ({ drawn, limits }) => {
    const groups = groupsOf(drawn)
    const { batches, left } = compose(groups, boundsOf(limits))
    const sent = batches.flat()
    assert.lengthOf(sent, groups.length)
    for (const [account, group] of groups.entries()) {
      const rest = left.filter((item) => item.account === account)
      assert.deepStrictEqual([...(sent[account] ?? []), ...rest], [...group])
    }
  })

  it.prop("stays within the bounds, but for an item that is beyond them alone", properties, ({ drawn, limits }) => {
    const bounds = boundsOf(limits)
    for (const batch of compose(groupsOf(drawn), bounds).batches) {
      const items = batch.flat()
      assert.isNotEmpty(items)
      assert.isTrue(isWithin(items, bounds) || items.length === 1)
    }
  })

  it.prop("cuts a group only where it exceeds the bounds alone", properties, ({ drawn, limits }) => {
    const bounds = boundsOf(limits)
    const groups = groupsOf(drawn)
    const { batches, left } = compose(groups, bounds)
    for (const { account } of left) {
      const group = groups[account] ?? []
      assert.isFalse(isWithin(group, bounds))
      const batch = batches.find((each) => each.flat().some((item) => item.account === account)) ?? []
      const taken = batch[0]?.filter((item) => item.account === account) ?? []
      assert.isNotEmpty(taken)
      assert.isFalse(isWithin(group.slice(0, taken.length + 1), bounds))
    }
  })

  it.prop("starts another transaction only where the next group does not fit", properties, ({ drawn, limits }) => {
    const bounds = boundsOf(limits)
    const groups = groupsOf(drawn)
    const { batches } = compose(groups, bounds)
    for (const [index, batch] of batches.slice(0, -1).entries()) {
      const account = batches[index + 1]?.[0]?.[0].account
      const next = account === undefined ? undefined : groups[account]
      if (next === undefined) return assert.fail("a batch is empty")
      assert.isFalse(isWithin([...batch, next].flat(), bounds))
    }
  })
})

describe("the gas of a batch", () => {
  const Gas = Schema.NonEmptyArray(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_000_000 })))

  it.prop("covers every item, 63/64 at each call", { gas: Arbitrary.schema(Gas) }, ({ gas }) => {
    const items = gas.map(BigInt)
    let left = batchGasLimit(items) - 60_000n
    for (const item of items) {
      assert.isTrue((left + 1n) * 63n >= item * 64n)
      left -= item
    }
  })

  it.prop("of items that fit the room stays within the total", { gas: Arbitrary.schema(Gas) }, ({ gas }) => {
    const items = gas.map(BigInt)
    const total = batchGasLimit(items)
    const taken = items.reduce((all, each) => all + each, 0n)
    assert.isTrue(batchRoom(total) <= total)
    if (taken <= batchRoom(total)) assert.isTrue(batchGasLimit(items) <= total)
  })
})
