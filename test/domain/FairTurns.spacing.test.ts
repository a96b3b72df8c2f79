import { assert, describe, it } from "@effect/vitest"
import {
  LATE_MILLIS,
  LEAST_SPACING_MILLIS,
  MOST_TOGETHER,
  MOST_SPACING_MILLIS,
  restedAtMs,
  SPACING_MILLIS
} from "../../src/domain/FairTurns.ts"
import { process } from "../support/FairTurnsProcess.ts"

/** A process to which a payer and then so many new owners have come at the same moment. */
const crowded = (owners: number) => {
  const each = process()
  each.arrive("paid", "honest", "payer")
  for (let owner = 0; owner < owners; owner++) each.arrive("listed", "a", `owner ${owner}`)
  /** Begins and ends the next owner's request so late, and returns the milliseconds until the one after it may begin. */
  const beginNext = (lateMillis = 0): number => {
    each.present.nowMs = restedAtMs(each.turns()) + lateMillis
    for (const number of each.rest().begun) each.end(number)
    return restedAtMs(each.turns()) - each.present.nowMs
  }
  return { ...each, beginNext }
}

describe("new owners beside one who paid", () => {
  it("begin one after another with more than a few requests of one owner", () => {
    const { arrive, end, present, rest, turns } = process()
    arrive("paid", "honest", "payer")
    const asked = Array.from({ length: MOST_TOGETHER + 2 }, () => arrive("listed", "a", "one"))
    assert.strictEqual(asked.flatMap(({ begun }) => begun).length, MOST_TOGETHER)
    present.nowMs = restedAtMs(turns())
    assert.lengthOf(rest().begun, 1)
    assert.strictEqual(restedAtMs(turns()) - present.nowMs, SPACING_MILLIS)
    // With MOST_TOGETHER under way, the end of one makes no place for the next.
    assert.isEmpty(end(asked[0]?.number ?? -1).begun)
    assert.lengthOf(end(asked[1]?.number ?? -1).begun, 1)
  })

  it("begin some milliseconds apart, and a few requests of one owner together", () => {
    const idle = process()
    idle.arrive("paid", "honest", "payer")
    assert.lengthOf(idle.arrive("listed", "a", "first").begun, 1)
    const second = idle.arrive("listed", "a", "second")
    assert.isEmpty(second.begun)
    assert.lengthOf(idle.arrive("listed", "a", "first").begun, 1)
    assert.lengthOf(idle.arrive("paid", "honest", "payer").begun, 1)
    idle.present.nowMs = restedAtMs(idle.turns())
    assert.deepStrictEqual(idle.rest().begun, [second.number])
  })

  it("come nearer to each other while the process keeps up", () => {
    const { beginNext } = crowded(220)
    let before = SPACING_MILLIS
    for (let owner = 1; owner < 50; owner++) {
      const now = beginNext()
      assert.isBelow(now, before)
      before = now
    }
    for (let owner = 50; owner < 210; owner++) before = beginNext()
    assert.closeTo(before, LEAST_SPACING_MILLIS, 1e-6)
  })

  it("begin further apart as soon as one begins late", () => {
    const { beginNext } = crowded(10)
    beginNext()
    assert.closeTo(beginNext(LATE_MILLIS + 1), SPACING_MILLIS + 8 * (LATE_MILLIS + 1), 1e-6)
    assert.closeTo(beginNext(1_000), MOST_SPACING_MILLIS, 1e-6)
  })

  it("begin as far apart as at first after a pause", () => {
    const { arrive, beginNext, present, turns } = crowded(10)
    for (let owner = 1; owner < 10; owner++) beginNext()
    present.nowMs += 10_000
    arrive("paid", "honest", "payer")
    arrive("listed", "a", "another")
    assert.strictEqual(restedAtMs(turns()) - present.nowMs, SPACING_MILLIS)
  })

  it("do not come nearer to each other by many requests of one owner", () => {
    const { arrive, present, turns } = process()
    arrive("paid", "honest", "payer")
    for (let request = 0; request < 50; request++) arrive("listed", "a", "one")
    assert.strictEqual(restedAtMs(turns()) - present.nowMs, SPACING_MILLIS)
  })
})
