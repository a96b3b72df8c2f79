import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { deal, dealEach } from "../../chaos/steps/Dealing.ts"

const Copies = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 }))).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(12)
)
const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 }))
const Seed = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2 ** 31 - 2 }))

/** The generator of Park and Miller, which needs nothing but its seed. */
const numbers = (seed: number) => {
  let state = seed
  return () => {
    state = (state * 48_271) % (2 ** 31 - 1)
    return state / (2 ** 31 - 1)
  }
}

const cardsOf = (copies: ReadonlyArray<number>) => copies.map((count, value) => ({ value, copies: count }))

const timesIn = (dealt: ReadonlyArray<number>, value: number) => dealt.filter((each) => each === value).length

describe("dealt cards", () => {
  it.prop("are as many as asked, every one before any comes again", [Copies, Count, Seed], ([copies, count, seed]) => {
    const dealt = deal(cardsOf(copies), count, numbers(seed))
    assert.lengthOf(dealt, count)
    const first = dealt.slice(0, copies.length)
    assert.strictEqual(new Set(first).size, first.length)
  })

  it.prop("come in each deck as often as the deck has them", [Copies, Seed], ([copies, seed]) => {
    const size = copies.reduce((sum, each) => sum + each, 0)
    const dealt = deal(cardsOf(copies), 3 * size, numbers(seed))
    for (const deck of [0, 1, 2].map((index) => dealt.slice(index * size, (index + 1) * size))) {
      for (const [value, times] of copies.entries()) assert.strictEqual(timesIn(deck, value), times)
    }
  })

  it.prop("follow from the numbers alone", [Copies, Count, Seed], ([copies, count, seed]) => {
    assert.deepStrictEqual(deal(cardsOf(copies), count, numbers(seed)), deal(cardsOf(copies), count, numbers(seed)))
  })

  it("come in other orders with other numbers", () => {
    const values = Array.from({ length: 10 }, (_, index) => index)
    assert.notDeepEqual(dealEach(values, 10, numbers(1)), dealEach(values, 10, numbers(2)))
    assert.deepStrictEqual(dealEach([], 5, numbers(1)), [])
  })
})
