import { assert, describe, it } from "@effect/vitest"
import * as RateLimits from "../../../../src/adapters/evm/rpc/RateLimits.ts"

const isRateLimit = ([code, text]: readonly [number, string]) => RateLimits.isRateLimit({ code, text })

describe("refusals for the rate of requests", () => {
  it.each<readonly [number, string]>([
    [
      429,
      "Your app has exceeded its compute units per second capacity. If you have retries enabled, you can ignore this."
    ],
    [-32_005, "project ID request rate exceeded"],
    [-32_005, "daily request count exceeded, request rate limited"],
    [
      -32_005,
      "You've exceeded the RPS limit available on the current plan. Learn more: https://support.chainstack.com/"
    ],
    [-32_005, "limit exceeded"],
    [-32_007, "50/second request limit reached - reduce calls per second or upgrade your account at quicknode.com"],
    [-32_097, "Too many requests, reason: call rate limit exhausted, retry in 10s"],
    [-32_090, "Too many requests, reason: call rate limit exhausted"],
    [-32_016, "over rate limit"],
    [-32_001, "Exceeded the quota usage"],
    [-32_029, "Rate limit exceeded"],
    [15, "Too many request, try again later"],
    [-32_000, "rate limited"],
    [-32_603, "request throttled"]
  ])("are recognised: %s %s", (code, text) => {
    assert.isTrue(isRateLimit([code, text]))
  })

  it.each<readonly [number, string]>([
    [-32_005, "query returned more than 10000 results"],
    [-32_005, "Requested range exceeds maximum RPC range limit"],
    [-32_005, "Too many logs requested. Max logs per response is 20000."],
    [-32_005, "block range is too wide"],
    [-32_005, "too many calls in one batch"],
    [-32_005, "batch too large"],
    [-32_602, "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range"],
    [3, "execution reverted: RateLimiter: rate limit exceeded"],
    [-32_000, "execution reverted: Rate limit exceeded"],
    [-32_000, "txpool is full"],
    [-32_000, "intrinsic gas too low"],
    [-32_000, "gas limit exceeded"],
    [-32_000, "max fee per gas less than block base fee"],
    [-32_000, "header not found"],
    [-32_601, "method not found"],
    [-32_603, "internal error"]
  ])("are not seen in: %s %s", (code, text) => {
    assert.isFalse(isRateLimit([code, text]))
  })

  it("may name a wait", () => {
    const waitOf = (text: string, data?: unknown) => RateLimits.namedWait({ text, data })
    assert.strictEqual(waitOf("Too many requests, retry in 10s"), 10_000)
    assert.strictEqual(waitOf("please try again in 250 ms"), 250)
    assert.strictEqual(waitOf("try again after 2 minutes"), 120_000)
    assert.strictEqual(waitOf("limited", { rate: { backoff_seconds: 30 } }), 30_000)
    assert.isUndefined(waitOf("Too many requests"))
    assert.isUndefined(waitOf("limited", { rate: "soon" }))
  })

  it("may have a header Retry-After of seconds or a date", () => {
    const now = Date.parse("2026-11-22T10:00:00Z")
    const read = (header: string | undefined) => RateLimits.retryAfter(header, now)
    assert.strictEqual(read("3"), 3_000)
    assert.strictEqual(read("0.5"), 500)
    assert.strictEqual(read("Sun, 22 Nov 2026 10:00:07 GMT"), 7_000)
    assert.strictEqual(read("Sun, 22 Nov 2026 09:00:00 GMT"), 0)
    for (const none of [undefined, "", "soon", "-5"]) assert.isUndefined(read(none))
  })
})
