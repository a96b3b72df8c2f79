import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { isSolidity, judge, mutated, occurrences } from "../../mutants/Mutant.ts"
import { MUTANTS } from "../../mutants/Mutants.ts"

const ROOT = join(import.meta.dirname, "../..")

describe("the mutants", () => {
  it("are at least sixty, each with a name of its own in its file", () => {
    assert.isAtLeast(MUTANTS.length, 60)
    assert.strictEqual(new Set(MUTANTS.map(({ file, name }) => `${file}: ${name}`)).size, MUTANTS.length)
  })

  it("fit the sources: each text stands in its file exactly once, and its tests exist", () => {
    for (const mutant of MUTANTS) {
      const source = readFileSync(join(ROOT, mutant.file), "utf8")
      assert.strictEqual(occurrences(mutant, source), 1, `${mutant.file}: ${mutant.name}`)
      assert.notStrictEqual(mutated(mutant, source), source)
      assert.isNotEmpty(mutant.tests)
      for (const test of mutant.tests) {
        assert.isTrue(existsSync(join(ROOT, test)), test)
        assert.strictEqual(test.endsWith(".sol"), isSolidity(mutant), test)
      }
    }
  })
})

describe("judge", () => {
  const mutant = { tests: ["a", "b"] }
  const report = (ran: ReadonlyArray<string>, failed: ReadonlyArray<string>) => ({
    ran: new Set(ran),
    failed: new Set(failed)
  })

  it("takes a mutant for caught when each of its test files has a failing test", () => {
    assert.strictEqual(judge(mutant, report(["a", "b"], ["a", "b"])), "caught")
    assert.strictEqual(judge(mutant, report(["a", "b"], ["a"])), "survived")
    assert.strictEqual(judge(mutant, report(["a", "b"], [])), "survived")
  })

  it("takes nothing for proved when a test file did not load", () => {
    assert.strictEqual(judge(mutant, report(["a"], ["a"])), "invalid")
    assert.strictEqual(judge(mutant, report([], [])), "invalid")
  })
})
