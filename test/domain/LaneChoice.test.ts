/** Lanes that take turns, by what they can pay for. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { payers } from "../../src/domain/LaneChoice.ts"
import { Units } from "./Arbitraries.ts"

const lanes = (...free: ReadonlyArray<bigint>) => free.map((wei) => ({ free: wei }))

describe("lanes that take turns", () => {
  it("are those that can pay for the dearest need that one of them can pay for", () => {
    assert.deepStrictEqual(payers(lanes(5n, 9n, 7n), [6n]), lanes(9n, 7n))
    assert.deepStrictEqual(payers(lanes(5n, 9n, 7n), [6n, 8n]), lanes(9n))
    assert.deepStrictEqual(payers(lanes(5n, 9n, 7n), [9n]), lanes(9n))
    assert.deepStrictEqual(payers(lanes(5n, 9n, 7n), [6n, 10n]), lanes(9n, 7n))
    assert.deepStrictEqual(payers(lanes(5n, 9n, 7n), [10n]), lanes(5n, 9n, 7n))
  })

  it("are the richest while no need is known", () => {
    assert.deepStrictEqual(payers(lanes(5n, 9n, 9n), []), lanes(9n, 9n))
  })

  it.prop("are never none of some", [Schema.Array(Units), Schema.Array(Units)], ([free, needs]) => {
    const all = lanes(...free)
    assert.strictEqual(payers(all, needs).length === 0, all.length === 0)
  })
})
