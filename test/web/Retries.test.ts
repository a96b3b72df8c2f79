/** Repetition of the requests of the dashboard and the console. */
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { InternalError, NotFound, RateLimitExceeded, Unavailable } from "../../src/api/shared/Errors.ts"
import { sentence } from "../../src/web/api/failures.ts"
import { isRepeated, pauseAfter, repeated } from "../../src/web/api/retries.ts"

const unavailable = new Unavailable({ error: "internal error" })

describe("a request that failed", () => {
  it("is repeated three times if it may succeed, after pauses that grow", () => {
    const failures = [0, 1, 2, 3]
    assert.deepStrictEqual(
      failures.map((count) => isRepeated(count, unavailable)),
      [true, true, true, false]
    )
    assert.deepStrictEqual(
      failures.slice(0, 3).map((count) => pauseAfter(count, unavailable)),
      [1_000, 2_000, 4_000]
    )
    assert.isTrue(isRepeated(0, new InternalError({ error: "internal error" })))
    assert.isTrue(isRepeated(0, { _tag: "OrchestratorUnavailable" }))
    assert.isFalse(isRepeated(0, new NotFound({ error: "not found" })))
    assert.isFalse(isRepeated(0, new Error("a bug")))
  })

  it("waits as long as the service asks for, if that is no more than a minute", () => {
    const limited = (retryAfterSeconds: number) => new RateLimitExceeded({ retryAfterSeconds })
    assert.isTrue(isRepeated(0, limited(60)))
    assert.strictEqual(pauseAfter(0, limited(60)), 60_000)
    assert.strictEqual(pauseAfter(2, limited(1)), 4_000)
    assert.isFalse(isRepeated(0, limited(61)))
    assert.strictEqual(sentence(limited(1)), "Too many requests. Please wait 1 second.")
  })
})

describe("a page of an export", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it("is asked for again until it comes, and at most four times", async () => {
    let asked = 0
    const fails = (times: number) => () => (++asked <= times ? Promise.reject(unavailable) : Promise.resolve("rows"))
    const ask = async (times: number, within: number) => {
      asked = 0
      const outcome = repeated(fails(times)).catch((error: unknown) => error)
      await vi.advanceTimersByTimeAsync(within)
      return outcome
    }
    assert.strictEqual(await ask(2, 3_000), "rows")
    assert.strictEqual(await ask(9, 7_000), unavailable)
    assert.strictEqual(asked, 4)
  })
})
