import { describe, expect, it } from "vitest"
import { leastDifference } from "../../src/domain/ClockDifference.ts"

describe("the difference of two clocks", () => {
  it("is that to the middle of question and answer, less the time that is unknown", () => {
    expect(leastDifference({ askedAtMs: 1_000, answeredAtMs: 1_000, toldMs: 1_000 })).toBe(0)
    expect(leastDifference({ askedAtMs: 11_000, answeredAtMs: 11_200, toldMs: 1_100 })).toBe(9_900)
    expect(leastDifference({ askedAtMs: 1_000, answeredAtMs: 1_200, toldMs: 11_100 })).toBe(-9_900)
  })

  it("is nothing that a slow answer explains", () => {
    for (const toldMs of [1_000, 11_000, 21_000]) {
      expect(Math.abs(leastDifference({ askedAtMs: 1_000, answeredAtMs: 21_000, toldMs }))).toBe(0)
    }
  })

  it("is unknown if the clock was set back between question and answer", () => {
    expect(leastDifference({ askedAtMs: 11_000, answeredAtMs: 1_000, toldMs: 50_000 })).toBe(0)
  })
})
