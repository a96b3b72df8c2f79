import { assert, describe, it } from "@effect/vitest"
import * as AgedMap from "../../../src/orchestrator/shared/AgedMap.ts"

describe("a map that forgets its old entries", () => {
  it("knows an entry for its time, counted from when it was set last", () => {
    const map = AgedMap.make<string, number>(100)
    map.set("a", 1, 0)
    assert.strictEqual(map.get("a", 99), 1)
    assert.isUndefined(map.get("a", 100))
    map.set("a", 2, 60)
    assert.strictEqual(map.get("a", 159), 2)
    map.delete("a")
    assert.isUndefined(map.get("a", 60))
  })

  it("holds no more than what was set within that time", () => {
    const map = AgedMap.make<number, true>(100)
    map.set(0, true, 0)
    for (let now = 1; now <= 1_000; now++) {
      map.set(now, true, now)
      if (now % 50 === 0) map.set(0, true, now)
    }
    assert.strictEqual(map.size(), 101)
    assert.isTrue(map.get(0, 1_000))
  })

  it("forgets entries of the future, which are from before the clock was set back", () => {
    const map = AgedMap.make<string, number>(100)
    map.set("a", 1, 3_600_000)
    assert.strictEqual(map.get("a", 3_599_000), 1)
    assert.isUndefined(map.get("a", 3_598_999))
    map.set("b", 2, 0)
    assert.strictEqual(map.size(), 1)
    assert.strictEqual(map.get("b", 99), 2)
  })
})
