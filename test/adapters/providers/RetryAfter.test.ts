import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Headers } from "effect/http"
import * as RetryAfter from "../../../src/adapters/providers/RetryAfter.ts"

const NOW = 1_800_000_000_000
const pause = (headers: Record<string, string>) => RetryAfter.pauseOf(Headers.fromInput(headers), NOW)

describe("RetryAfter", () => {
  it("reads seconds, dates and the headers of rate limits", () => {
    assert.strictEqual(pause({ "retry-after": "2.5" }), 2_500)
    assert.strictEqual(pause({ "retry-after": new Date(NOW + 20_000).toUTCString() }), 20_000)
    assert.strictEqual(pause({ "retry-after": "0" }), 0)
    assert.strictEqual(pause({ "ratelimit-reset": "12" }), 12_000)
    assert.strictEqual(pause({ "x-ratelimit-reset": String(NOW / 1_000 + 7) }), 7_000)
    assert.strictEqual(pause({}), RetryAfter.DEFAULT_PAUSE_MILLIS)
    assert.strictEqual(pause({ "retry-after": "soon" }), RetryAfter.DEFAULT_PAUSE_MILLIS)
    assert.isUndefined(RetryAfter.retryAfter("-1", NOW))
    assert.isUndefined(RetryAfter.retryAfter(" ", NOW))
  })

  it.prop("bounds any pause", [Schema.String, Schema.Number], ([text, number]) => {
    for (const value of [text, String(number), "Infinity", "1e308", "Fri, 31 Dec 9999 23:59:59 GMT"]) {
      const headers = { "retry-after": value.replaceAll(/[^\x20-\x7e]/g, ""), "ratelimit-reset": String(number) }
      const millis = pause(headers)
      assert.isTrue(millis >= 0 && millis <= RetryAfter.LONGEST_PAUSE_MILLIS, `${value}: ${millis}`)
    }
  })
})
