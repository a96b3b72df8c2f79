import { describe, expect, it } from "@effect/vitest"
import { needsCare, warningOf } from "../../src/web/sweep/warning.ts"

describe("the warnings of the sweep page", () => {
  it("leave every marked or doubtful token to the user's own choice", () => {
    expect(needsCare({})).toBe(false)
    expect(needsCare({ doubtful: false })).toBe(false)
    expect(needsCare({ doubtful: true })).toBe(true)
    for (const standing of ["unlisted", "impersonator", "spam"] as const) expect(needsCare({ standing })).toBe(true)
  })

  it("tell the gravest", () => {
    expect(warningOf({ standing: "impersonator", doubtful: true })?.word).toBe("Impersonator")
    expect(warningOf({ standing: "spam" })?.tone).toBe("bad")
    expect(warningOf({ standing: "unlisted" })?.tone).toBe("warn")
    expect(warningOf({ doubtful: true })?.tone).toBe("neutral")
    expect(warningOf({})).toBeUndefined()
    expect(needsCare({ standing: "of a newer service" as never })).toBe(true)
  })
})
