/** Bars of the committed gas figures. The step "solidity" of `./sweep test` measures, and fails if a figure differs. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { judge, Snapshot, TABLES } from "../../bench/gas/Bars.ts"
import measured from "../../contracts/snapshots/Gas.json"

const snapshot = Schema.decodeUnknownSync(Snapshot)(measured)

describe("gas", () => {
  for (const table of TABLES) {
    for (const row of judge(table, snapshot).rows) {
      it(`is within the bar: ${row.measured}`, () => assert.isAtMost(row.gas, row.bar))
    }
  }

  it("is judged missing or too high", () => {
    const [table] = TABLES
    assert.isDefined(table)
    assert.throws(() => judge(table, {}), /no "plain account/)
    const [row] = judge(table, { ...snapshot, "single, word in use": 155_256 }).rows
    assert.isFalse(row?.met)
  })
})
