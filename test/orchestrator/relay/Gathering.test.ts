import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { gatherMillis, leavesMore, leftMillis, MOST_GATHER_MILLIS } from "../../../src/orchestrator/relay/Gathering.ts"

const millis = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))

describe("the time for which sweeps gather", () => {
  it("is the least one while the process keeps up", () => {
    assert.strictEqual(gatherMillis(50, 0), 50)
  })

  it("grows while the process is late", () => {
    assert.strictEqual(gatherMillis(50, 5), 150)
  })

  it.prop("is never shorter than the least one, nor longer than the longest", [millis, millis], ([least, delay]) => {
    const found = gatherMillis(least, delay)
    assert.isAtLeast(found, least)
    assert.isAtMost(found, Math.max(least, MOST_GATHER_MILLIS))
  })

  it.prop("does not fall when the delay grows", [millis, millis, millis], ([least, delay, more]) => {
    assert.isAtLeast(gatherMillis(least, delay + more), gatherMillis(least, delay))
  })

  it("is left only in part after a while, and never longer than it is, wherever the clock goes", () => {
    assert.strictEqual(leftMillis(50, { claimedAt: 1_000, now: 1_020 }), 30)
    assert.strictEqual(leftMillis(50, { claimedAt: 1_000, now: 2_000 }), 0)
    assert.strictEqual(leftMillis(50, { claimedAt: 1_000_000, now: 1_000 }), 50)
    assert.strictEqual(leftMillis(50, { claimedAt: Number.NEGATIVE_INFINITY, now: 0 }), 0)
  })

  it("is none after a claim that found almost a whole batch, and not after one that emptied the queue", () => {
    assert.isTrue(leavesMore(64, 64))
    assert.isTrue(leavesMore(56, 64))
    assert.isFalse(leavesMore(55, 64))
    assert.isFalse(leavesMore(0, 64))
  })
})
