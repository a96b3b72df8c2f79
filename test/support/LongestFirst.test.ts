import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import type { TestSpecification, Vitest } from "vitest/node"
import LongestFirst, { LONG } from "./LongestFirst.ts"

const root = join(import.meta.dirname, "..", "..")

describe("the list of long test files", () => {
  it("names files that exist, each once", () => {
    for (const file of LONG) assert.isTrue(existsSync(join(root, file)), file)
    assert.lengthOf(new Set(LONG), LONG.length)
  })
})

describe("the order of test files", () => {
  it("is long files first, by the list, and then the others", async () => {
    const project = { name: "real", config: { isolate: false, sequence: { groupOrder: 0 } } }
    const specifications = ["test/short.test.ts", LONG[1], "test/other.test.ts", LONG[0]].map((file = ""): unknown => ({
      moduleId: join(root, file),
      project
    })) as Array<TestSpecification>
    const context: unknown = { config: { root }, cache: { getTestSpecificationResult: () => undefined } }
    const sorted = await new LongestFirst(context as Vitest).sort(specifications)
    assert.deepStrictEqual(
      sorted.slice(0, 2).map(({ moduleId }) => moduleId),
      [join(root, LONG[0] ?? ""), join(root, LONG[1] ?? "")]
    )
    assert.lengthOf(sorted, specifications.length)
  })
})
