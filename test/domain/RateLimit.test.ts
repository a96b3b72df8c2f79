import { assert, describe, it } from "@effect/vitest"
import { Option, Result, Schema } from "effect"
import { BOUNDS, BUILDER_POLICIES, changeOf, parse, POLICIES } from "../../src/domain/RateLimit.ts"
import { defaults } from "../../src/server/shared/ServerSettings.ts"

const decode = Schema.decodeUnknownResult(changeOf(Schema.Literals(BUILDER_POLICIES)))

/** The problem of a change, or nothing. */
const problem = (change: unknown) => Result.match(decode(change), { onFailure: String, onSuccess: () => undefined })

describe("a rate limit of the operator", () => {
  it("is within bounds, around which every default lies", () => {
    for (const policy of BUILDER_POLICIES) {
      const { least, most } = BOUNDS[policy]
      for (const requests of [least, most, null]) assert.isUndefined(problem({ policy, requests }))
      for (const requests of [least - 1, most + 1, least + 0.5, "60"]) {
        assert.include(problem({ policy, requests }), "requests")
      }
    }
    assert.include(problem({ policy: "signup", requests: 0 }), "must be from 1 to 10000 for the policy signup")
    assert.include(problem({ policy: "orchestrator", requests: 100 }), "policy")
    for (const policy of POLICIES) {
      assert.isAtLeast(defaults.rateLimits[policy].limit, BOUNDS[policy].least)
      assert.isAtMost(defaults.rateLimits[policy].limit, BOUNDS[policy].most)
    }
  })

  it("is read as it was stored, and what another release stored is ignored", () => {
    assert.deepStrictEqual(parse("orchestrator", "60"), Option.some({ policy: "orchestrator", requests: 60 }))
    for (const [policy, requests] of [
      ["unknown", "60"],
      ["orchestrator", "1"],
      ["orchestrator", "60/30"],
      ["orchestrator", ""]
    ] as const) {
      assert.deepStrictEqual(parse(policy, requests), Option.none())
    }
  })
})
