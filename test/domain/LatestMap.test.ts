import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as LatestMap from "../../src/domain/LatestMap.ts"

const Capacity = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 }))
/** More keys than a map keeps. */
const KEYS = [0, 1, 2, 3, 4, 5]
const Key = Schema.Literals(KEYS)
const Step = Schema.Union([
  Schema.Struct({ is: Schema.Literal("set"), key: Key, value: Schema.Int }),
  Schema.Struct({ is: Schema.Literal("delete"), key: Key })
])
/** Enough steps to set keys again while the map is full. */
const Steps = Schema.Array(Step).check(Schema.isMinLength(20), Schema.isMaxLength(40))
type Entries = ReadonlyArray<readonly [key: number, value: number]>

/** The entries after a step, the latest last. */
const after = (entries: Entries, step: typeof Step.Type, capacity: number): Entries => {
  const others = entries.filter(([key]) => key !== step.key)
  if (step.is === "delete") return others
  const all: Entries = [...others, [step.key, step.value]]
  return all.slice(Math.max(0, all.length - capacity))
}

const take = (map: LatestMap.LatestMap<number, number>, step: typeof Step.Type): void =>
  step.is === "set" ? map.set(step.key, step.value) : map.delete(step.key)

describe("a map that forgets the entry that was set longest ago", () => {
  it.prop("knows the same entries as a list in the order of setting", [Capacity, Steps], ([capacity, steps]) => {
    const map = LatestMap.make<number, number>(capacity)
    let entries: Entries = []
    for (const step of steps) {
      take(map, step)
      entries = after(entries, step, capacity)
      const expected = new Map(entries)
      assert.deepStrictEqual(
        KEYS.map((key) => map.get(key)),
        KEYS.map((key) => expected.get(key))
      )
    }
  })

  it("keeps as many entries as its capacity", () => {
    const map = LatestMap.make<string, number>(2)
    map.set("a", 1)
    map.set("b", 2)
    assert.deepStrictEqual([map.get("a"), map.get("b")], [1, 2])
    map.set("c", 3)
    assert.deepStrictEqual([map.get("a"), map.get("b"), map.get("c")], [undefined, 2, 3])
  })

  it("keeps an entry that is set again for longer, and not one that is only read", () => {
    const map = LatestMap.make<string, number>(2)
    map.set("a", 1)
    map.set("b", 2)
    map.set("a", 3)
    assert.strictEqual(map.get("b"), 2)
    map.set("c", 4)
    assert.deepStrictEqual([map.get("a"), map.get("b"), map.get("c")], [3, undefined, 4])
  })

  it("has room again for each entry that is deleted", () => {
    const map = LatestMap.make<string, number>(2)
    map.set("a", 1)
    map.set("b", 2)
    map.delete("b")
    map.delete("unknown")
    map.set("c", 3)
    assert.deepStrictEqual([map.get("a"), map.get("b"), map.get("c")], [1, undefined, 3])
  })
})
