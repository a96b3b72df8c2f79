import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { importsOf, modulesOf, violations } from "../scripts/check-imports.ts"

const check = (modules: Readonly<Record<string, string>>) => violations(new Map(Object.entries(modules)))

describe("importsOf", () => {
  it("finds imports of values and types, re-exports, and both kinds of import()", () => {
    const source = `
      import a from "./a.ts"
      import type { B } from "./b.ts"
      import { type C } from "./c.ts"
      import "./d.ts"
      export * from "./e.ts"
      export * as f from "./f.ts"
      export type { G } from "./g.ts"
      const h = await import("./h.ts")
      type I = import("./i.ts").I
      // import "./comment.ts"
      const text = 'import "./string.ts"'
    `
    expect(importsOf("src/x.ts", source).toSorted()).toEqual(
      ["a", "b", "c", "d", "e", "f", "g", "h", "i"].map((name) => `./${name}.ts`)
    )
  })

  it("reads TSX, and refuses what it cannot read", () => {
    expect(importsOf("src/web/x.tsx", `import { A } from "./A.tsx"; export const b = <A c={1} />`)).toEqual(["./A.tsx"])
    expect(() => importsOf("src/x.ts", "import {")).toThrow(/src\/x\.ts/)
  })
})

describe("violations", () => {
  it.each([
    ["the domain importing a port", "src/domain/A.ts", "../ports/B.ts"],
    ["a port importing an adapter", "src/ports/A.ts", "../adapters/evm/B.ts"],
    ["a use case importing an adapter", "src/orchestrator/A.ts", "../adapters/sql/B.ts"],
    ["a use case importing the other service", "src/orchestrator/A.ts", "../builder/B.ts"],
    ["a use case importing HTTP contracts", "src/builder/A.ts", "../api/builder/B.ts"],
    ["contracts importing a port", "src/api/orchestrator/A.ts", "../../ports/B.ts"],
    ["an adapter importing a use case", "src/adapters/sql/A.ts", "../../orchestrator/B.ts"],
    ["an adapter importing the local network", "src/adapters/evm/A.ts", "../../devnet/B.ts"],
    ["a server importing an adapter", "src/server/A.ts", "../adapters/sql/B.ts"],
    ["the client package importing a service", "src/sdk/A.ts", "../orchestrator/B.ts"],
    ["a page importing a port", "src/web/A.tsx", "../ports/B.ts"],
    ["anything importing tests", "src/main.ts", "../test/support/B.ts"],
    ["the domain importing Node", "src/domain/A.ts", "node:fs"],
    ["contracts importing the platform", "src/api/A.ts", "@effect/platform-bun/BunRuntime"],
    ["a package that only begins like an allowed one", "src/domain/A.ts", "effectual"],
    ["a directory without a rule", "src/misc/A.ts", "effect"]
  ])("objects to %s", (_what, path, specifier) => {
    for (const statement of [
      `import { b } from "${specifier}"`,
      `import type { B } from "${specifier}"`,
      `export * from "${specifier}"`,
      `type B = import("${specifier}").B`
    ]) {
      const found = check({ [path]: statement })
      expect(found).toHaveLength(1)
      expect(found[0]).toContain(`${path} imports ${specifier}`)
    }
  })

  it("lets every layer have what it is built on", () => {
    const allowed: Readonly<Record<string, ReadonlyArray<string>>> = {
      "src/domain/A.ts": ["effect", "effect/http", "viem", "./Z.ts"],
      "src/ports/A.ts": ["../domain/B.ts"],
      "src/api/builder/A.ts": ["../../domain/B.ts", "../shared/B.ts", "effect/http-api"],
      "src/orchestrator/A.ts": ["../ports/B.ts", "../domain/B.ts", "./B.ts"],
      "src/adapters/evm/A.ts": ["../../ports/B.ts", "../../domain/B.ts", "../http/B.ts", "node:fs"],
      "src/server/A.ts": ["../orchestrator/B.ts", "../api/B.ts"],
      "src/devnet/A.ts": ["../adapters/B.ts"],
      "src/main.ts": ["./adapters/B.ts", "./devnet/B.ts", "./server/B.ts", "../package.json"]
    }
    for (const [path, specifiers] of Object.entries(allowed)) {
      expect(check({ [path]: specifiers.map((specifier) => `import "${specifier}"`).join("\n") })).toEqual([])
    }
  })

  it("names cycles, also of types alone, once each", () => {
    expect(
      check({
        "src/domain/A.ts": `import type { B } from "./B.ts"`,
        "src/domain/B.ts": `import { c } from "./C.ts"`,
        "src/domain/C.ts": `export { a } from "./A.ts"`,
        "src/domain/D.ts": `import "./A.ts"`
      })
    ).toEqual(["cycle: src/domain/A.ts -> src/domain/B.ts -> src/domain/C.ts -> src/domain/A.ts"])
    expect(check({ "src/domain/A.ts": `import "./A.ts"` })).toEqual(["cycle: src/domain/A.ts -> src/domain/A.ts"])
  })

  it("takes two ways to one module for no cycle", () => {
    expect(
      check({
        "src/domain/A.ts": `import "./B.ts"\nimport "./C.ts"`,
        "src/domain/B.ts": `import "./D.ts"`,
        "src/domain/C.ts": `import "./D.ts"`,
        "src/domain/D.ts": ""
      })
    ).toEqual([])
  })
})

it("finds nothing in this project", async () => {
  const modules = await modulesOf(join(import.meta.dirname, ".."))
  expect(modules.size).toBeGreaterThan(50)
  expect(violations(modules)).toEqual([])
})
