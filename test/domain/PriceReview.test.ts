import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as PriceReview from "../../src/domain/PriceReview.ts"

const rules: PriceReview.Rules = { maxDeviationBps: 1_000, maxAgeMillis: 900_000, confirmMillis: 600_000 }
const review = (
  state: PriceReview.State,
  nowMs: number,
  prices: ReadonlyArray<bigint>,
  preference: PriceReview.Preference = "low"
) => PriceReview.review(state, prices, { nowMs, preference, rules })

const Price = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))
const Prices = Schema.Array(Price).check(Schema.isMinLength(1), Schema.isMaxLength(7))

describe("median", () => {
  it("is the middle one, or of two the nearer to the last, or the cheaper for the relayer", () => {
    expect(PriceReview.median([], "low")).toBeUndefined()
    expect(PriceReview.median([7n], "high")).toBe(7n)
    expect(PriceReview.median([9n, 1n, 5n], "low")).toBe(5n)
    expect(PriceReview.median([9n, 1n], "low")).toBe(1n)
    expect(PriceReview.median([9n, 1n], "high")).toBe(9n)
    expect(PriceReview.median([9n, 1n], "low", 8n)).toBe(9n)
    expect(PriceReview.median([9n, 1n], "high", 4n)).toBe(1n)
    expect(PriceReview.median([9n, 1n], "high", 5n)).toBe(9n)
  })

  it.prop("lies between honest prices while most sources are honest", [Prices, Prices], ([many, few]) => {
    const honest = many.map(BigInt)
    const hostile = few.slice(0, honest.length - 1).map((price) => BigInt(price) * 1_000_000_000n)
    const median = Number(PriceReview.median([...hostile, ...honest], "high"))
    expect(median).toBeGreaterThanOrEqual(Math.min(...many))
    expect(median).toBeLessThanOrEqual(Math.max(...many))
  })
})

describe("review", () => {
  const good = review({}, 0, [100n]).state

  it("takes the first price, and changes within the deviation", () => {
    expect(review({}, 5, [100n])).toEqual({
      price: { price: 100n, atMs: 5 },
      state: { good: { price: 100n, atMs: 5 } }
    })
    expect(review(good, 10, [110n]).price).toEqual({ price: 110n, atMs: 10 })
    expect(review(good, 10, [90n]).price).toEqual({ price: 90n, atMs: 10 })
  })

  it("keeps the last good price with its age while one source alone leaves it", () => {
    const { price, state } = review(good, 10, [111n])
    expect(price).toEqual({ price: 100n, atMs: 0 })
    expect(state).toEqual({ good: { price: 100n, atMs: 0 }, candidate: { price: 111n, atMs: 10 } })
  })

  it("takes a change that a second source confirms at once", () => {
    expect(review(good, 10, [150n, 155n]).price).toEqual({ price: 150n, atMs: 10 })
    expect(review(good, 10, [150n, 300n]).price).toEqual({ price: 100n, atMs: 0 })
  })

  it("takes a level that lasts, and begins anew when it changes", () => {
    const first = review(good, 10, [200n]).state
    expect(review(first, 600_009, [201n]).price?.price).toBe(100n)
    expect(review(first, 600_010, [201n])).toEqual({
      price: { price: 201n, atMs: 600_010 },
      state: { good: { price: 201n, atMs: 600_010 } }
    })
    const other = review(first, 300_000, [400n]).state
    expect(review(other, 600_010, [400n]).price?.price).toBe(100n)
  })

  it("closes when the price comes back", () => {
    const open = review(good, 10, [200n]).state
    expect(review(open, 20, [101n]).state).toEqual({ good: { price: 101n, atMs: 20 } })
  })

  it("has the last good price while no source has one, until it is too old", () => {
    expect(review(good, 900_000, []).price).toEqual({ price: 100n, atMs: 0 })
    expect(review(good, 900_001, [])).toEqual({ price: undefined, state: {} })
    expect(review(good, 900_001, [500n]).price?.price).toBe(500n)
    expect(review({}, 0, []).price).toBeUndefined()
    const open = review(good, 10, [200n]).state
    expect(review(open, 20, []).state).toEqual(open)
    expect(review(open, 900_001, []).state).toEqual({})
  })

  it("never keeps a price on which the sources differ as the good one", () => {
    expect(review({}, 5, [100n, 200n])).toEqual({ price: { price: 100n, atMs: 5 }, state: {} })
    expect(review(good, 10, [105n, 200n])).toEqual({ price: { price: 105n, atMs: 10 }, state: good })
    const open = review(good, 10, [150n, 300n]).state
    expect(review(open, 600_010, [150n, 300n])).toEqual({ price: good.good, state: open })
    expect(review(good, 900_001, [100n, 200n]).state).toEqual({})
    expect(review({}, 5, [100n, 102n, 900n]).state).toEqual({ good: { price: 102n, atMs: 5 } })
  })

  it("takes the price nearer to an older good one while the sources differ", () => {
    const options = { nowMs: 900_001, rules, near: 190n }
    expect(PriceReview.review(good, [100n, 200n], { ...options, preference: "low" }).price?.price).toBe(200n)
    expect(PriceReview.review({}, [100n, 200n], { ...options, preference: "high", near: 110n }).price?.price).toBe(100n)
    // A good price that is not too old comes first.
    expect(PriceReview.review(good, [100n, 200n], { ...options, nowMs: 9, preference: "low" }).price?.price).toBe(100n)
  })

  it.prop("one source never moves the price by more than the deviation at once", [Price, Price], ([before, now]) => {
    const kept = review({}, 0, [BigInt(before)]).state
    const moved = Number(review(kept, 1, [BigInt(now)]).price?.price)
    expect(Math.abs(moved - before) * 10_000).toBeLessThanOrEqual(before * rules.maxDeviationBps)
  })
})
