import { describe, expect, it } from "vitest"
import { next, type Series } from "../../src/domain/FailureSeries.ts"

const RULES = { lastingMillis: 60_000, quietMillis: 90_000 }

/** The series after rounds at these seconds. A negative time is a round without a failure. */
const after = (...seconds: ReadonlyArray<number>): Series | undefined =>
  seconds.reduce<Series | undefined>((series, at) => next(series, at >= 0, Math.abs(at) * 1_000, RULES), undefined)

describe("a series of failures", () => {
  it("lasts once it failed for long enough, also with good rounds between", () => {
    expect(after(0, 59)?.lasts).toBe(false)
    expect(after(0, 60)?.lasts).toBe(true)
    expect(after(0, -10, -50, 60)?.lasts).toBe(true)
    expect(after(0, 60, 61)?.lasts).toBe(true)
  })

  it("does not come to last by a good round", () => {
    expect(after(0, 30, -70)?.lasts).toBe(false)
  })

  it("ends after a quiet time, and begins anew", () => {
    expect(after(0, 60, -149)?.lasts).toBe(true)
    expect(after(0, 60, -150)).toBeUndefined()
    expect(after(0, 60, 150)).toStrictEqual({ sinceMs: 150_000, lastMs: 150_000, lasts: false })
    expect(after(-1)).toBeUndefined()
  })

  it("that a clock set back has left in the future is forgotten", () => {
    expect(after(10_000, 0)).toStrictEqual({ sinceMs: 0, lastMs: 0, lasts: false })
  })
})
