import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as EndpointExamination from "../../src/domain/EndpointExamination.ts"
import { factsOf, urlOf } from "../support/Endpoints.ts"

const NOW = 1_767_225_600_000
const CHAIN = 8453

const decide = (hosts: ReadonlyArray<string>, added: string | undefined, takesAway = false) => {
  const endpoints = hosts.map((host) => factsOf(urlOf(host), CHAIN, NOW))
  const facts = { id: CHAIN, name: "base", staleSeconds: 120, nowMillis: NOW, commonHeight: 997n, endpoints }
  const place = added === undefined ? -1 : hosts.indexOf(added)
  return EndpointExamination.decide(facts, { added: endpoints[place], takesAway })
}

const refusal = (result: ReturnType<typeof decide>) => (Result.isFailure(result) ? result.failure : undefined)

describe("an examined change of endpoints", () => {
  it.each([
    ["silent-b", "no answer within 2 s"],
    ["other-b", "it serves chain 8454, not 8453"],
    ["old-b", "its newest block is 86400 s old"],
    ["fork-b", "it has another block than well-a.example at height 997"]
  ])("is refused for %s, with the reason", (host, detail) => {
    const said = refusal(decide(["well-a", host], host))
    assert.strictEqual(said?.reason, "not_usable")
    assert.include(said?.detail, `${host}.example`)
    assert.include(said?.detail, detail)
    assert.notInclude(said?.detail, "key-of")
  })

  it("is taken beside endpoints that are broken, and beside a fork that nobody can tell", () => {
    assert.deepStrictEqual(decide(["silent-a", "other-a", "well-b"], "well-b"), Result.succeed([]))
    assert.deepStrictEqual(decide(["old-a", "fork-b"], "fork-b"), Result.succeed([]))
  })

  it("is taken with a warning if the endpoint cannot simulate", () => {
    const result = decide(["well-a", "plain-b"], "plain-b")
    assert.include(Result.getOrThrow(result).join(), "plain-b.example: it gave another answer with state overrides")
  })

  it("leaves an endpoint that works and simulates", () => {
    for (const left of [[], ["silent-a"], ["other-a", "old-b"], ["plain-a"]]) {
      assert.strictEqual(refusal(decide(left, undefined, true))?.reason, "last_working", left.join())
    }
    assert.include(refusal(decide(["silent-a"], undefined, true))?.detail, "silent-a.example: no answer within 2 s")
    assert.deepStrictEqual(decide(["silent-a", "well-b"], undefined, true), Result.succeed([]))
    // A replacement that cannot simulate, where nothing else does.
    assert.strictEqual(refusal(decide(["plain-b"], "plain-b", true))?.reason, "last_working")
  })
})
