import { assert, describe, it } from "@effect/vitest"
import { ageOf, CAREFUL_MILLIS, FUTURE_MILLIS } from "../../src/domain/Age.ts"

describe("an age", () => {
  it("is the time since", () => {
    assert.strictEqual(ageOf(1_000, 400), 600)
    assert.strictEqual(ageOf(1_000, Number.NEGATIVE_INFINITY), Number.POSITIVE_INFINITY)
  })

  it("is 0 of a time that is a little ahead, and infinite of one that is far ahead", () => {
    assert.strictEqual(ageOf(1_000, 1_000 + FUTURE_MILLIS), 0)
    assert.strictEqual(ageOf(1_000, 1_001 + FUTURE_MILLIS), Number.POSITIVE_INFINITY)
    assert.strictEqual(ageOf(1_000, 1_000 + CAREFUL_MILLIS, CAREFUL_MILLIS), 0)
    assert.strictEqual(ageOf(1_000, 1_001 + CAREFUL_MILLIS, CAREFUL_MILLIS), Number.POSITIVE_INFINITY)
  })
})
