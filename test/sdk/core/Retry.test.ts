/** The retry policy: which failures are retried, when, and how often. */
import { assert, describe, it } from "vitest"
import { pauseAfterFailure, pauseBeforeRetry } from "../../../src/sdk/core/Retry.ts"

describe("the pause after a failure", () => {
  it("is the given one after a lost response or a 5xx", () => {
    for (const status of [undefined, 500, 502, 503, 599]) {
      assert.strictEqual(pauseAfterFailure({ status }, 700), 700, String(status))
    }
  })

  it("is the one that the service asks for, where it asks for one", () => {
    assert.strictEqual(pauseAfterFailure({ status: 429, retryAfterSeconds: 7 }, 700), 7_000)
    assert.strictEqual(pauseAfterFailure({ status: 409, retryAfterSeconds: 1 }, 700), 1_000)
  })

  it("does not exist after a refusal, or an error that is no failed request", () => {
    for (const status of [400, 403, 404, 409, 418, 422, 429, 499]) {
      assert.isUndefined(pauseAfterFailure({ status }, 700), String(status))
    }
    assert.isUndefined(pauseAfterFailure(undefined, 700))
  })
})

describe("the pause before a retry", () => {
  const lost = { status: undefined }

  it("doubles, and ends after four attempts by default", () => {
    assert.deepStrictEqual(
      [1, 2, 3, 4, 5].map((sent) => pauseBeforeRetry(lost, sent)),
      [500, 1_000, 2_000, undefined, undefined]
    )
  })

  it("keeps to the caller's limits", () => {
    const options = { attempts: 2, pauseMillis: 10 }
    assert.deepStrictEqual(
      [1, 2].map((sent) => pauseBeforeRetry(lost, sent, options)),
      [10, undefined]
    )
    assert.isUndefined(pauseBeforeRetry(lost, 1, { attempts: 1 }))
  })

  it("is at most a minute: a longer one is not waited for", () => {
    const after = (retryAfterSeconds: number) => pauseBeforeRetry({ status: 429, retryAfterSeconds }, 1)
    assert.deepStrictEqual([after(60), after(61)], [60_000, undefined])
  })
})
