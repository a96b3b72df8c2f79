import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as SanctionsList from "../../src/domain/SanctionsList.ts"
import * as FakeChain from "../support/FakeChain.ts"

const list = (numbers: Iterable<number>, publishedOn?: string): SanctionsList.SanctionsList => ({
  addresses: new Set([...numbers].map(FakeChain.address)),
  publishedOn
})

const Numbers = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 })))
const Percent = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 }))

const accepts = (current: SanctionsList.SanctionsList | undefined, next: SanctionsList.SanctionsList, percent = 20) =>
  Result.isSuccess(SanctionsList.replace(current, next, percent))

describe("SanctionsList.replace", () => {
  it.prop(
    "takes any list that lacks nothing, and never an empty one",
    [Numbers, Numbers, Percent],
    ([a, b, percent]) => {
      assert.strictEqual(accepts(list(a), list([...a, ...b]), percent), a.length + b.length > 0)
      assert.isFalse(accepts(list(a), list([]), percent))
    }
  )

  it.prop("never lets more than the share go", [Numbers, Numbers, Percent], ([a, b, percent]) => {
    const [before, after] = [new Set(a), new Set(b)]
    const removed = [...before].filter((number) => !after.has(number)).length
    if (accepts(list(a), list(b), percent)) assert.isAtMost(removed * 100, before.size * percent)
    else assert.isTrue(after.size === 0 || removed * 100 > before.size * percent)
  })

  it("counts what is missing, not the length", () => {
    assert.isTrue(accepts(list([1, 2, 3, 4, 5]), list([1, 2, 3, 4])))
    assert.isFalse(accepts(list([1, 2, 3, 4, 5]), list([1, 2, 3, 6, 7, 8, 9])))
  })

  it("refuses an older day, and takes the same day and an unknown one", () => {
    const current = list([1], "2026-02-03")
    assert.isFalse(accepts(current, list([1], "2026-02-02")))
    assert.isTrue(accepts(current, list([1], "2026-02-03")))
    assert.isTrue(accepts(current, list([1], "2026-10-01")))
    assert.isTrue(accepts(current, list([1])))
  })

  it("takes any first list that has addresses", () => {
    assert.isTrue(accepts(undefined, list([1]), 0))
    assert.isFalse(accepts(undefined, list([])))
  })
})

describe("SanctionsList.isStale", () => {
  it("holds from a day on, and for a list that was never read", () => {
    assert.isTrue(SanctionsList.isStale(undefined, 0))
    assert.isFalse(SanctionsList.isStale(0, SanctionsList.STALE_MILLIS))
    assert.isTrue(SanctionsList.isStale(0, SanctionsList.STALE_MILLIS + 1))
  })
})

describe("SanctionsList.dated", () => {
  it("drops a day that has not come", () => {
    const now = Date.UTC(2026, 1, 3, 23)
    assert.strictEqual(SanctionsList.dated(list([1], "2026-02-03"), now).publishedOn, "2026-02-03")
    assert.deepStrictEqual(SanctionsList.dated(list([1], "2026-02-04"), now), list([1]))
    assert.isUndefined(SanctionsList.dated(list([1]), now).publishedOn)
  })
})
