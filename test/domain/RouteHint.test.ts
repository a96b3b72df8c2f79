import { assert, describe, it } from "@effect/vitest"
import { problemOf, sourceOf } from "../../src/domain/RouteHint.ts"

const served = [
  { id: 8453, name: "base" },
  { id: 10, name: "optimism" }
]

const EXPECTED = "expected <source>-><destination> with names or ids of served chains: base, optimism"

describe("a route hint", () => {
  it.each(["base->optimism", "Base -> OPTIMISM", "8453->10", " base->10 "])("names its chains in %j", (route) => {
    const request = { route, destChainId: 10 }
    assert.strictEqual(sourceOf(request, served), 8453)
    assert.isUndefined(problemOf(request, served))
  })

  it.each([
    "base",
    "base->",
    "->optimism",
    "base-optimism",
    "base>optimism",
    "base->optimism->base",
    "mars->optimism",
    "base->mars"
  ])("is wrong as %j", (route) => {
    const request = { route, destChainId: 10 }
    assert.isUndefined(sourceOf(request, served))
    assert.strictEqual(problemOf(request, served), EXPECTED)
  })

  it("must not contradict the request", () => {
    assert.strictEqual(
      problemOf({ route: "base->optimism", destChainId: 8453 }, served),
      "the destination is chain 10, and destChainId is 8453"
    )
    assert.strictEqual(
      problemOf({ route: "base->optimism", destChainId: 10, sourceChainId: 10 }, served),
      "the source is chain 8453, and sourceChainId is 10"
    )
    assert.isUndefined(problemOf({ route: "base->optimism", destChainId: 10, sourceChainId: 8453 }, served))
  })

  it.each([undefined, "", " "])("is optional: %j", (route) => {
    const request = { destChainId: 10, ...(route === undefined ? {} : { route }) }
    assert.isUndefined(problemOf(request, served))
    assert.isUndefined(sourceOf(request, served))
    assert.strictEqual(sourceOf({ ...request, sourceChainId: 99 }, served), 99)
  })
})
