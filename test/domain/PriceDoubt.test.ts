/** Which prices count, and which are only shown. */
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as PriceReview from "../../src/domain/PriceReview.ts"

const rules = { maxDeviationBps: 1_000, maxAgeMillis: 900_000, confirmMillis: 600_000 }
const agreement = (prices: ReadonlyArray<bigint>, minSources: number, near?: bigint) =>
  PriceReview.agreement(prices, { preference: "low", minSources, maxDeviationBps: 1_000, near })

/** A whole step, as the sources' combination makes it. */
const step = (
  state: PriceReview.State,
  prices: ReadonlyArray<bigint>,
  { last, minSources = 1, nowMs }: { nowMs: number; minSources?: number; last?: PriceReview.Kept }
) => {
  const agreed = agreement(prices, minSources, state.good?.price)
  const review = PriceReview.review(state, agreed.counted, { nowMs, preference: "low", rules })
  return { review, shown: PriceReview.shown(review, agreed, { last: review.state.good ?? last, nowMs }) }
}

const Price = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))
const Some = Schema.Array(Price).check(Schema.isMaxLength(5))
const Few = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 }))

describe("agreement", () => {
  it("counts all prices if enough agree", () => {
    expect(agreement([], 1)).toEqual({ counted: [], price: undefined, doubt: undefined })
    expect(agreement([100n], 1)).toEqual({ counted: [100n], price: 100n, doubt: undefined })
    expect(agreement([100n], 2)).toEqual({ counted: [], price: 100n, doubt: "lone" })
    expect(agreement([100n, 105n], 2)).toEqual({ counted: [100n, 105n], price: 100n, doubt: undefined })
    expect(agreement([100n, 200n], 2)).toEqual({ counted: [], price: 100n, doubt: "wild" })
    expect(agreement([100n, 200n], 1)).toEqual({ counted: [100n, 200n], price: 100n, doubt: "wild" })
    expect(agreement([100n, 104n, 900n], 2)).toEqual({ counted: [100n, 104n, 900n], price: 104n, doubt: undefined })
  })

  it.prop("never counts a price that fewer sources agree on than are asked for", [Some, Few], ([some, minSources]) => {
    const prices = some.map(BigInt)
    const { counted, price } = agreement(prices, minSources)
    if (counted.length === 0) return
    const agreeing = prices.filter((other) => {
      const away = other > (price ?? 0n) ? other - (price ?? 0n) : (price ?? 0n) - other
      return away * 10n <= (price ?? 0n)
    })
    expect(agreeing.length).toBeGreaterThanOrEqual(minSources)
  })

  it.prop("with one source to ask for, counts every price", [Some], ([some]) => {
    expect(agreement(some.map(BigInt), 1).counted).toEqual(some.map(BigInt))
  })
})

describe("shown", () => {
  it("is the price that counts, without a doubt", () => {
    expect(step({}, [100n], { nowMs: 5 }).shown).toEqual({ price: 100n, atMs: 5, doubt: undefined, counts: true })
  })

  it("is a lone price for display, while it does not count", () => {
    const { review, shown } = step({}, [100n], { nowMs: 5, minSources: 2 })
    expect(review.price).toBeUndefined()
    expect(shown).toEqual({ price: 100n, atMs: 5, doubt: "lone", counts: false })
  })

  it("is the last good price while a wild one waits, with its doubt", () => {
    const good = step({}, [100n], { nowMs: 0 }).review.state
    expect(step(good, [500n], { nowMs: 9 }).shown).toEqual({ price: 100n, atMs: 0, doubt: "wild", counts: true })
    expect(step(good, [], { nowMs: 9 }).shown).toEqual({ price: 100n, atMs: 0, doubt: undefined, counts: true })
    const lone = step(good, [100n], { nowMs: 9, minSources: 2 })
    expect(lone.shown).toEqual({ price: 100n, atMs: 0, doubt: "wild", counts: true })
  })

  it("is a stale price for a day, which does not count", () => {
    const last = { price: 100n, atMs: 0 }
    const state = { good: last }
    expect(step(state, [], { nowMs: 900_001, last }).shown).toEqual({ ...last, doubt: "stale", counts: false })
    expect(step(state, [], { nowMs: 86_400_001, last }).shown).toBeUndefined()
  })

  it.prop("counts exactly when the review has a price", [Some, Some, Few], ([before, now, minSources]) => {
    const first = step({}, before.map(BigInt), { nowMs: 0, minSources }).review.state
    const { review, shown } = step(first, now.map(BigInt), { nowMs: 1, minSources })
    expect(shown?.counts === true).toBe(review.price !== undefined)
    if (shown?.counts === false) expect(shown.doubt).toBeDefined()
  })
})
