import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { type Bounds, compose, type Item } from "../../src/domain/BatchComposition.ts"
import { batchGasLimit, batchRoom } from "../../src/domain/RelayGas.ts"

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 1, maximum }))

const Items = Schema.Array(Schema.Struct({ account: upTo(6), gas: upTo(100), bytes: upTo(100) })).check(
  Schema.isMaxLength(40)
)
const Limits = Schema.Struct({ items: upTo(8), gas: upTo(300), bytes: upTo(300) })

const itemsOf = (drawn: typeof Items.Type): ReadonlyArray<Item & { readonly index: number }> =>
  drawn.map(({ account, bytes, gas }, index) => ({ index, account: String(account), gas: BigInt(gas), bytes }))
const boundsOf = ({ bytes, gas, items }: typeof Limits.Type): Bounds => ({ items, gas: BigInt(gas), bytes })

const sum = (batch: ReadonlyArray<Item>) => ({
  gas: batch.reduce((total, { gas }) => total + gas, 0n),
  bytes: batch.reduce((total, { bytes }) => total + bytes, 0)
})

const properties = { drawn: Arbitrary.schema(Items), limits: Arbitrary.schema(Limits) }

describe("compose", () => {
  it.prop("keeps every item, in order", properties, ({ drawn, limits }) => {
    const items = itemsOf(drawn)
    assert.deepStrictEqual(compose(items, boundsOf(limits)).flat(), items)
  })

  it.prop("stays within the bounds, but for an item that is beyond them alone", properties, ({ drawn, limits }) => {
    const bounds = boundsOf(limits)
    for (const batch of compose(itemsOf(drawn), bounds)) {
      assert.isNotEmpty(batch)
      const { bytes, gas } = sum(batch)
      const within = batch.length <= bounds.items && gas <= bounds.gas && bytes <= bounds.bytes
      assert.isTrue(within || batch.length === 1)
    }
  })

  it.prop("never has two items of one account in a transaction", properties, ({ drawn, limits }) => {
    for (const batch of compose(itemsOf(drawn), boundsOf(limits))) {
      assert.strictEqual(new Set(batch.map(({ account }) => account)).size, batch.length)
    }
  })

  it.prop("starts another transaction only where the next item does not fit", properties, ({ drawn, limits }) => {
    const bounds = boundsOf(limits)
    const batches = compose(itemsOf(drawn), bounds)
    for (const [index, batch] of batches.slice(0, -1).entries()) {
      const [next] = batches[index + 1] ?? []
      assert.isDefined(next)
      if (next === undefined) return
      const { bytes, gas } = sum([...batch, next])
      const fits =
        batch.length < bounds.items &&
        gas <= bounds.gas &&
        bytes <= bounds.bytes &&
        batch.every(({ account }) => account !== next.account)
      assert.isFalse(fits)
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
