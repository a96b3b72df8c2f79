import { assert, describe, it } from "@effect/vitest"
import { judge } from "../../src/cli/TestRun.ts"
import { forgeCounts, vitestCounts } from "../../src/cli/TestCounts.ts"

const forge = (passed: number, failed: number) =>
  `Ran 2 test suites in 1.2s: ${passed} tests passed, ${failed} failed, 0 skipped (${passed + failed} total tests)`

describe("a step", () => {
  it("passes when its program and its tests do", () => {
    assert.deepStrictEqual(judge({}, "", 0), { succeeded: true, counts: { passed: 1, failed: 0 } })
    assert.deepStrictEqual(judge({ counts: forgeCounts }, forge(7, 0), 0), {
      succeeded: true,
      counts: { passed: 7, failed: 0 }
    })
  })

  it("fails by its exit code", () => {
    assert.deepStrictEqual(judge({}, "", 1), { succeeded: false, counts: { passed: 0, failed: 1 } })
    assert.deepStrictEqual(judge({ counts: forgeCounts }, forge(7, 0), 1), {
      succeeded: false,
      counts: { passed: 7, failed: 1 }
    })
  })

  it("fails by a failed count, even if the exit code is zero", () => {
    assert.deepStrictEqual(judge({ counts: forgeCounts }, forge(7, 2), 0), {
      succeeded: false,
      counts: { passed: 7, failed: 2 }
    })
    assert.isFalse(judge({ counts: vitestCounts }, "      Tests  1 failed | 120 passed (121)", 0).succeeded)
  })

  it("fails when its runner counted nothing", () => {
    const nothing = { succeeded: false, counts: { passed: 0, failed: 1 } }
    assert.deepStrictEqual(judge({ counts: forgeCounts }, "No tests to run", 0), nothing)
    assert.deepStrictEqual(judge({ counts: forgeCounts }, forge(0, 0), 0), nothing)
    assert.deepStrictEqual(judge({ counts: vitestCounts }, "", 0), nothing)
  })
})
