import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as OrderFlow from "../../src/domain/OrderFlow.ts"

const Millis = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))

describe("OrderFlow.wayOf", () => {
  it.prop("is private only within the time, and then says how much of it is left", [Millis, Millis], ([age, after]) => {
    const way = OrderFlow.wayOf({ ageMillis: age, isRefused: false }, after)
    assert.deepStrictEqual(way, age < after ? { _tag: "Private", publicInMillis: after - age } : { _tag: "Public" })
  })

  it.prop("is public once it was refused", [Millis, Millis], ([age, after]) => {
    assert.strictEqual(OrderFlow.wayOf({ ageMillis: age, isRefused: true }, after)._tag, "Public")
  })

  it("is private for no longer than the time while the clock goes back", () => {
    assert.deepStrictEqual(OrderFlow.wayOf({ ageMillis: -5, isRefused: false }, 10), {
      _tag: "Private",
      publicInMillis: 10
    })
  })
})
