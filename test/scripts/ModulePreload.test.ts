/** Scripts of a built page request whole parts. */
import { assert, describe, it } from "vitest"
import { withPreloads } from "../../scripts/ModulePreload.ts"

const sources = new Map([
  ["/app/main.js", 'import{a}from"/app/shared.js";const page=()=>import("/app/page.js");a(page)'],
  ["/app/shared.js", 'import"/app/base.js";export const a=1'],
  ["/app/base.js", "globalThis.b=1"],
  ["/app/page.js", 'import{a}from"/app/shared.js";import{t}from"/app/table.js";export const Page=t(a)'],
  ["/app/table.js", 'import{r}from"/app/rows.js";export const t=()=>r'],
  ["/app/rows.js", 'import{t}from"/app/table.js";export const r=()=>t']
])

describe("a script that loads a part", () => {
  it("requests with it what the part imports, at any depth, and what it has itself not again", () => {
    const written = withPreloads("/app/main.js", sources)
    assert.include(written, '(preloadAll("/app/table.js","/app/rows.js"),import("/app/page.js"))')
    assert.notInclude(written, '"/app/shared.js",')
  })

  it("is left as it is if its parts import nothing more", () => {
    for (const url of ["/app/shared.js", "/app/page.js"])
      assert.strictEqual(withPreloads(url, sources), sources.get(url))
  })
})
