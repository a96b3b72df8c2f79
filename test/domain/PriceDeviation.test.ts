/** The end of a price's deviation, and what proves it. */
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as PriceDeviation from "../../src/domain/PriceDeviation.ts"
import * as PriceReview from "../../src/domain/PriceReview.ts"

const MINUTE = 60_000
const rules = { maxDeviationBps: 1_000, confirmMillis: 10 * MINUTE }

type Step = readonly [finding: PriceDeviation.Reading["finding"], price: bigint, minute: number]

/** The watch after these readings. */
const after = (...steps: ReadonlyArray<Step>) =>
  steps.reduce<PriceDeviation.Watch | undefined>(
    (watch, [finding, price, minute]) => PriceDeviation.next(watch, { finding, price }, minute * MINUTE, rules),
    undefined
  )

const reading = (prices: ReadonlyArray<bigint>, options: { minSources?: number; isComplete?: boolean } = {}) => {
  const { isComplete = true, minSources = 1 } = options
  const { maxDeviationBps } = rules
  const agreed = PriceReview.agreement(prices, { preference: "low", minSources, maxDeviationBps })
  return (state: PriceReview.State = {}) =>
    PriceDeviation.readingOf(agreed, state, { isComplete, maxDeviationBps })?.finding
}

describe("a reading", () => {
  it("agrees only by two sources that are close to each other", () => {
    expect(reading([])()).toBeUndefined()
    expect(reading([100n])()).toBe("single")
    expect(reading([100n, 105n])()).toBe("agreed")
    expect(reading([100n, 105n, 900n])()).toBe("agreed")
    expect(reading([100n, 105n], { isComplete: false })()).toBe("agreed")
    expect(reading([100n, 200n])()).toBe("wild")
    expect(reading([100n, 200n], { minSources: 2 })()).toBe("wild")
  })

  it("tells nothing if a source is silent, or too few have a price", () => {
    expect(reading([100n], { isComplete: false })()).toBe("unknown")
    expect(reading([100n], { minSources: 2 })()).toBe("unknown")
  })

  it("shows a level that is held back", () => {
    const kept = { price: 150n, atMs: 0 }
    expect(reading([150n])({ good: { price: 100n, atMs: 0 }, candidate: kept })).toBe("held")
  })
})

describe("a deviation", () => {
  it("is followed from the first reading that shows it, or from a takeover", () => {
    expect(after(["agreed", 100n, 0], ["single", 100n, 1], ["unknown", 100n, 2])).toBeUndefined()
    expect(after(["wild", 100n, 0])).toEqual({ deviates: true, isOver: false, atMs: 0 })
    expect(PriceDeviation.takenOver(5)).toEqual({ deviates: false, isOver: false, atMs: 5 })
  })

  it("ends at once by two sources that agree", () => {
    expect(after(["wild", 100n, 0], ["agreed", 100n, 1])).toMatchObject({ deviates: false, isOver: true })
    expect(after(["held", 150n, 0], ["agreed", 150n, 1])).toMatchObject({ deviates: false, isOver: true })
  })

  it("ends by one source once its level has lasted for ten minutes, and none lasts while the sources differ", () => {
    expect(after(["held", 150n, 0], ["single", 155n, 10])?.isOver).toBe(true)
    expect(after(["held", 150n, 0], ["single", 100n, 10])?.isOver).toBe(false)
    expect(after(["held", 150n, 0], ["single", 100n, 10], ["single", 100n, 20])?.isOver).toBe(true)
    expect(after(["wild", 100n, 0], ["single", 100n, 10], ["single", 100n, 19])?.isOver).toBe(false)
    expect(after(["wild", 100n, 0], ["single", 100n, 10], ["single", 100n, 20])?.isOver).toBe(true)
    expect(after(["held", 150n, 0], ["wild", 150n, 5], ["single", 150n, 11])?.isOver).toBe(false)
  })

  it("is neither seen nor over by a reading that tells nothing", () => {
    const known = after(["held", 150n, 0], ["unknown", 100n, 9])
    expect(known).toEqual({ deviates: true, isOver: false, atMs: 0, level: { price: 150n, atMs: 0 } })
    expect(after(["wild", 100n, 0], ["agreed", 100n, 1], ["unknown", 100n, 2])?.isOver).toBe(false)
  })

  const Finding = Schema.Literals(["wild", "held", "agreed", "single", "unknown"])
  const Minutes = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 }))
  it.prop(
    "is never over without two that agree, while its readings span less than ten minutes",
    [Schema.Array(Finding), Minutes],
    ([findings, minutes]) => {
      const without = findings.filter((finding) => finding !== "agreed")
      const last = without.length - 1
      const steps = without.map((finding, index): Step => [finding, 100n, last > 0 ? (minutes * index) / last : 0])
      expect(after(["wild", 100n, 0], ...steps)?.isOver).toBe(false)
    }
  )
})
