/** Calculations of the list of tokens: safe names, and the rows to draw. */
import { assert, describe, it } from "@effect/vitest"
import { plainText } from "../../src/web/lib/plainText.ts"
import { slotsOf } from "../../src/web/sweep/rowSlots.ts"
import { offsetsOf, rangeOf } from "../../src/web/sweep/useVisibleRows.ts"

describe("a hostile name", () => {
  it("is cut, loses what is not seen, and is never empty", () => {
    assert.strictEqual(plainText("x".repeat(300), 14), `${"x".repeat(13)}…`)
    assert.strictEqual(plainText("\u202Eevil\u200B\n name", 14), "evil name")
    assert.strictEqual(plainText(`e${"\u0301".repeat(50)}`, 14), "e\u0301\u0301")
    assert.strictEqual(plainText("\u200E\u0000", 14), "?")
    assert.strictEqual(plainText("😀".repeat(20), 4), "😀😀😀…")
  })
})

describe("rows near the window", () => {
  it("are all that touch it", () => {
    const offsets = offsetsOf([10, 10, 30, 10])
    assert.deepStrictEqual(offsets, [0, 10, 20, 50, 60])
    assert.deepStrictEqual(rangeOf(offsets, 0, 20), { from: 0, to: 2 })
    assert.deepStrictEqual(rangeOf(offsets, 25, 55), { from: 2, to: 4 })
    assert.deepStrictEqual(rangeOf(offsets, -100, -50), { from: 0, to: 0 })
    assert.deepStrictEqual(rangeOf(offsets, 100, 200), { from: 4, to: 4 })
  })
})

describe("elements of rows", () => {
  it("stay with rows that stay, and pass from those that go to those that come", () => {
    const first = slotsOf(new Map(), ["a", "b", "c"])
    assert.deepStrictEqual([...first.values()], [0, 1, 2])
    assert.deepStrictEqual(
      [...slotsOf(first, ["b", "c", "d", "e"])],
      [
        ["b", 1],
        ["c", 2],
        ["d", 0],
        ["e", 3]
      ]
    )
  })
})
