/** Pauses between polls. */
import { assert, describe, it } from "vitest"
import { pauseAfterFailedPoll, pauseAfterPoll } from "../../../src/sdk/core/Polling.ts"

describe("the pause between polls", () => {
  it("grows from half a second to three seconds", () => {
    const pauses = Array.from({ length: 10 }, (_, index) => Math.round(pauseAfterPoll(index + 1)))
    assert.deepStrictEqual(pauses, [500, 700, 980, 1372, 1921, 2689, 3000, 3000, 3000, 3000])
  })

  it("keeps to the caller's limits", () => {
    assert.strictEqual(pauseAfterPoll(1, { first: 10, longest: 20 }), 10)
    assert.strictEqual(pauseAfterPoll(9, { first: 10, longest: 20 }), 20)
    assert.strictEqual(pauseAfterPoll(1, { first: 30, longest: 20 }), 20)
  })

  it("is the longest after a failed poll, or longer if the service asks", () => {
    assert.strictEqual(pauseAfterFailedPoll({ status: undefined }, 1), 3_000)
    assert.strictEqual(pauseAfterFailedPoll({ status: 429, retryAfterSeconds: 7 }, 1), 7_000)
    assert.strictEqual(pauseAfterFailedPoll({ status: 429, retryAfterSeconds: 1 }, 9), 3_000)
  })

  it("is a minute at most, however long the service asks for, or the caller's where that is longer", () => {
    for (const retryAfterSeconds of [61, 3_600, 2_147_484, Number.MAX_SAFE_INTEGER]) {
      assert.strictEqual(pauseAfterFailedPoll({ status: 429, retryAfterSeconds }, 1), 60_000)
    }
    const pauses = { first: 90_000, longest: 90_000 }
    assert.strictEqual(pauseAfterFailedPoll({ status: 503 }, 1, pauses), 90_000)
    assert.strictEqual(pauseAfterFailedPoll({ status: 429, retryAfterSeconds: 3_600 }, 1, pauses), 90_000)
  })

  it("does not exist after a refusal", () => {
    assert.isUndefined(pauseAfterFailedPoll({ status: 404 }, 1))
    assert.isUndefined(pauseAfterFailedPoll(undefined, 1))
  })
})
