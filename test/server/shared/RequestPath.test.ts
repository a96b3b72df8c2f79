import { assert, describe, it } from "@effect/vitest"
import * as RequestPath from "../../../src/server/shared/RequestPath.ts"

describe("RequestPath", () => {
  it.each([
    ["/docs", "/docs"],
    ["/docs/", "/docs"],
    ["/docs///", "/docs"],
    ["/docs//page/", "/docs//page"],
    ["/docs/?a=/", "/docs"],
    ["/docs#/b/", "/docs"],
    ["///", ""],
    ["/", ""],
    ["", ""],
    ["?", ""]
  ])("%j → %j", (target, path) => {
    assert.strictEqual(RequestPath.of(target), path)
  })

  it("takes time in proportion to the slashes, not to their square", () => {
    const slashes = "/".repeat(2_000_000)
    assert.strictEqual(RequestPath.of(`${slashes}x`).length, slashes.length + 1)
    assert.strictEqual(RequestPath.of(slashes), "")
  })
})
