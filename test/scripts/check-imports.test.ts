import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { importsOf, modulesOf, violations } from "../../scripts/check-imports.ts"

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
    ["the domain importing a port", "src/domain/A.ts", "../ports/shared/B.ts"],
    ["a port importing an adapter", "src/ports/shared/A.ts", "../../adapters/evm/rpc/B.ts"],
    ["a shared port importing a service's", "src/ports/shared/A.ts", "../builder/B.ts"],
    ["a port importing the other service's", "src/ports/builder/A.ts", "../orchestrator/B.ts"],
    ["a use case importing an adapter", "src/orchestrator/quote/A.ts", "../../adapters/sql/shared/B.ts"],
    ["a use case importing the other service", "src/orchestrator/shared/A.ts", "../../builder/shared/B.ts"],
    ["a use case importing the other service's port", "src/builder/payout/A.ts", "../../ports/orchestrator/B.ts"],
    ["a use case importing HTTP contracts", "src/builder/account/A.ts", "../../api/builder/B.ts"],
    ["a use case importing a room beside it", "src/orchestrator/relay/A.ts", "../watch/B.ts"],
    ["a builder use case importing a room beside it", "src/builder/payout/A.ts", "../ledger/B.ts"],
    ["contracts importing a port", "src/api/orchestrator/A.ts", "../../ports/shared/B.ts"],
    ["contracts importing the other service's", "src/api/orchestrator/A.ts", "../builder/B.ts"],
    ["an adapter importing a use case", "src/adapters/sql/shared/A.ts", "../../../orchestrator/shared/B.ts"],
    ["an adapter importing the local network", "src/adapters/evm/keys/A.ts", "../../../devnet/B.ts"],
    ["an adapter importing the other service's", "src/adapters/sql/builder/A.ts", "../orchestrator/B.ts"],
    ["a server importing an adapter", "src/server/shared/A.ts", "../../adapters/sql/shared/B.ts"],
    ["the client package importing a service", "src/sdk/A.ts", "../orchestrator/quote/B.ts"],
    ["a page importing a port", "src/web/ui/A.tsx", "../../ports/shared/B.ts"],
    ["anything importing tests", "src/main.ts", "../test/support/B.ts"],
    ["the domain importing Node", "src/domain/A.ts", "node:fs"],
    ["contracts importing the platform", "src/api/shared/A.ts", "@effect/platform-bun/BunRuntime"],
    ["a package that only begins like an allowed one", "src/domain/A.ts", "effectual"],
    ["a directory without a rule", "src/misc/A.ts", "effect"],
    ["a room without a rule", "src/orchestrator/misc/A.ts", "effect"],
    ["a file beside the rooms of a layer", "src/orchestrator/A.ts", "effect"]
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
      "src/ports/orchestrator/A.ts": ["../../domain/B.ts", "../shared/B.ts"],
      "src/api/builder/A.ts": ["../../domain/B.ts", "../shared/B.ts", "effect/http-api"],
      "src/orchestrator/relay/A.ts": ["../../ports/orchestrator/B.ts", "../../domain/B.ts", "./B.ts", "../settle/B.ts"],
      "src/adapters/evm/contracts/A.ts": [
        "../../../ports/shared/B.ts",
        "../../../domain/B.ts",
        "../codec/B.ts",
        "node:fs"
      ],
      "src/server/orchestrator/A.ts": [
        "../../orchestrator/watch/B.ts",
        "../../api/orchestrator/B.ts",
        "../shared/B.ts"
      ],
      "src/devnet/A.ts": ["../adapters/evm/rpc/B.ts"],
      "src/main.ts": ["./adapters/evm/rpc/B.ts", "./devnet/B.ts", "./server/shared/B.ts", "../package.json"]
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

  it("names circles of rooms where no circle of modules shows them", () => {
    const found = check({
      "src/orchestrator/watch/A.ts": `import "../relay/A.ts"`,
      "src/orchestrator/relay/A.ts": "",
      "src/orchestrator/relay/B.ts": `import "../watch/B.ts"`,
      "src/orchestrator/watch/B.ts": ""
    })
    expect(found).toContainEqual("cycle of rooms: orchestrator/relay -> orchestrator/watch -> orchestrator/relay")
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
  const modules = await modulesOf(join(import.meta.dirname, "..", ".."))
  expect(modules.size).toBeGreaterThan(50)
  expect(violations(modules)).toEqual([])
})
