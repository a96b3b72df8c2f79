import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { backoffMillis, deliveryLookMillis, spenderLookMillis } from "../../src/domain/Backoff.ts"

const Failures = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))
const Random = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

describe("backoffMillis", () => {
  it("doubles from a second", () => {
    assert.deepStrictEqual(
      [1, 2, 3, 4].map((failures) => backoffMillis(failures, 0)),
      [1_000, 2_000, 4_000, 8_000]
    )
    assert.strictEqual(backoffMillis(1, 1), 500)
  })

  it.prop("lies between half a second and five minutes", [Failures, Random], ([failures, random]) => {
    const delay = backoffMillis(failures, random)
    return Number.isInteger(delay) && delay >= 500 && delay <= 300_000
  })
})

describe("deliveryLookMillis", () => {
  it("stays at three seconds for two minutes, and doubles to a minute", () => {
    assert.deepStrictEqual(
      [1, 2, 3, 4, 40, 41, 42, 43, 44, 45, 46].map((looks) => deliveryLookMillis(looks)),
      [1_000, 2_000, 3_000, 3_000, 3_000, 6_000, 12_000, 24_000, 48_000, 60_000, 60_000]
    )
  })

  it.prop("lies between a second and a minute, and never falls", [Failures], ([looks]) => {
    const delay = deliveryLookMillis(looks)
    return delay >= 1_000 && delay <= 60_000 && deliveryLookMillis(looks + 1) >= delay
  })
})

describe("spenderLookMillis", () => {
  it("doubles from half a minute to ten minutes", () => {
    assert.deepStrictEqual(
      [1, 2, 3, 5, 6, 7, 10_000].map((looks) => spenderLookMillis(looks)),
      [30_000, 60_000, 120_000, 480_000, 600_000, 600_000, 600_000]
    )
  })
})
