import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { DRAIN_MILLIS, LaneState, movable, refusal } from "../../src/domain/LaneState.ts"
import { Units } from "./Arbitraries.ts"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const Facts = Schema.Struct({
  state: LaneState,
  sinceMs: between(0, 1_000_000),
  inFlight: between(0, 2),
  hasOther: Schema.Boolean,
  isEmptying: Schema.Boolean
})
const Now = between(0, 1_200_000)

describe("a lane", () => {
  it.prop("is retired only when it was drained for a minute and nothing is in flight", [Facts, Now], ([each, now]) => {
    const isAllowed = refusal("retired", each, now) === undefined
    const isEnded = each.state === "draining" && each.inFlight === 0 && now - each.sinceMs >= DRAIN_MILLIS
    assert.strictEqual(isAllowed, each.state === "retired" || isEnded)
  })

  it.prop("is drained only beside another active lane", [Facts, Now], ([each, now]) => {
    assert.strictEqual(refusal("draining", each, now) === undefined, each.state !== "active" || each.hasOther)
  })

  it.prop("is used again at any time, except while its rest is on its way", [Facts, Now], ([each, now]) => {
    const expected = each.isEmptying && each.state !== "active" ? "in_flight" : undefined
    assert.strictEqual(refusal("active", each, now), expected)
  })

  it.prop("gives what its balance has above the cost of a transfer", [Units, Units], ([balance, cost]) => {
    const amount = movable(balance, cost)
    assert.isTrue(amount === 0n ? balance <= cost : amount + cost === balance)
  })
})
