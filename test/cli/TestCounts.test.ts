import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { forgeCounts, sum, vitestCounts } from "../../src/cli/TestCounts.ts"

describe("TestCounts", () => {
  it("reads vitest's summary", () => {
    const output = " Test Files  1 failed | 30 passed (31)\n      Tests  3 failed | 120 passed (123)\n"
    assert.deepStrictEqual(vitestCounts(output), Option.some({ passed: 120, failed: 3 }))
    assert.deepStrictEqual(vitestCounts("      Tests  7 passed (7)"), Option.some({ passed: 7, failed: 0 }))
  })

  it("reads forge's summary", () => {
    assert.deepStrictEqual(
      forgeCounts(
        "Ran 12 test suites in 2.31s (3.11s CPU time): 118 tests passed, 2 failed, 0 skipped (120 total tests)"
      ),
      Option.some({ passed: 118, failed: 2 })
    )
  })

  it("counts a skipped test as failed", () => {
    assert.deepStrictEqual(
      vitestCounts("      Tests  120 passed | 2 skipped | 1 todo (123)"),
      Option.some({ passed: 120, failed: 3 })
    )
    assert.deepStrictEqual(
      forgeCounts("Ran 1 test suite in 1s: 7 tests passed, 1 failed, 1 skipped (9 total tests)"),
      Option.some({ passed: 7, failed: 2 })
    )
  })

  it("has no counts for a runner that ran nothing", () => {
    assert.deepStrictEqual(vitestCounts("No test files found, exiting with code 1"), Option.none())
    assert.deepStrictEqual(forgeCounts("Compiler run failed"), Option.none())
  })

  it("adds up", () => {
    assert.deepStrictEqual(
      sum([
        { passed: 1, failed: 0 },
        { passed: 5, failed: 2 }
      ]),
      { passed: 6, failed: 2 }
    )
  })
})
